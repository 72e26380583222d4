"""The plans that are timed against one another: the planner's own and those of a planner that errs either way.

What is best of these is what a choice is judged by, so they must not be only the plans that the planner under
test likes. Calls are also priced far too low and far too high, which gives the finest and the coarsest merges.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from placement_cli.blocks.candidates import finest_plan
from placement_cli.blocks.formulation import Formulation, Kind, Price, dense
from placement_cli.blocks.planner import Backend, choose

if TYPE_CHECKING:
    from placement_cli.blocks.plan import BlockPlan
    from placement_cli.blocks.structure import Structure

CALL_FACTORS = (0.1, 1.0, 10.0)
"""A call is also taken to cost these many times what the price says."""
MOST_BLOCKS = 512
"""A loop over more blocks is not timed: it takes milliseconds of calls alone."""
_SMALL = dense(1, 1)


def competing_plans(
    structure: Structure, samples: int, price: Price, *, backend: Backend = "numpy", masked: bool = False
) -> tuple[BlockPlan, ...]:
    """Return the plans worth timing for chunks of `samples`, the planner's choice under `price` first.

    The dense product is among them, and on MLX the compiled form of the best two. `masked` says whether
    `block_masked_mm` takes part, which on the CPU costs as much as the dense product. Equal input gives equal plans.
    """
    call = price(_SMALL, 1)
    found: dict[BlockPlan, None] = {}
    for factor in (1.0, *CALL_FACTORS):
        priced = price if factor == 1.0 else _with_calls(price, call * (factor - 1.0))
        for choice in choose(structure, samples, priced, backend=backend):
            found.setdefault(choice.plan)
    if finest := finest_plan(structure):
        found.setdefault(finest)
    plans = [plan for plan in found if not plan.compiled and _is_timed(plan, masked)]
    if backend == "mlx":
        plans += [replace(plan, compiled=True) for plan in plans[:2]]
    best = next(iter(found))
    return tuple(dict.fromkeys([best, *plans]))


def _with_calls(price: Price, extra: float) -> Price:
    """Return `price` with `extra` for every call; never below a tenth of it."""

    def priced(formulation: Formulation, samples: int) -> float:
        whole = price(formulation, samples)
        return max(whole + extra * formulation.calls, 0.1 * whole)

    return priced


def _is_timed(plan: BlockPlan, masked: bool) -> bool:
    kinds = {part.kind for part in plan.formulation.parts}
    return plan.formulation.calls <= MOST_BLOCKS and (masked or Kind.MASKED_MM not in kinds)
