"""Choosing how to compute `x @ W`: pure, deterministic, from a structure and a price."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, Protocol

from placement_cli.blocks.formulation import Formulation, Price, dense
from placement_cli.blocks.pricing import CALL_COST_MACS_DISPATCHED, PartPrice, checked, upstream_price

if TYPE_CHECKING:
    from collections.abc import Iterable

    from placement_cli.blocks.plan import BlockPlan
    from placement_cli.blocks.structure import Structure

Backend = Literal["numpy", "mlx"]

COMPILED_TRIED = 3
"""The best so many plans are also priced as compiled functions."""


class Priced(Protocol):
    """A profile, as far as the planner knows one."""

    def price(self, formulation: Formulation, samples: int) -> float:
        """Return the seconds that `formulation` takes for `samples` samples."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A plan, what it consists of, and its predicted price (seconds when the price is)."""

    plan: BlockPlan
    formulation: Formulation
    predicted_s: float

    @property
    def is_dense(self) -> bool:
        """Whether this is the product with the whole matrix."""
        return self.formulation.parts == dense(self.formulation.n_in, self.formulation.n_out).parts


def choose(
    structure: Structure,
    n_samples: int,
    price: Price,
    *,
    backend: Backend = "numpy",
    tiling_only: bool = False,
) -> list[Choice]:
    """Return the plans worth considering for chunks of `n_samples` samples, the cheapest first.

    The dense product is among them; plans whose price is infinite are not. `tiling_only` keeps to plans that an
    executor of ezmsg-sigproc can run (`BlockPlan.is_tiling`). Fewer than 1 sample count as 1. Equal input gives
    equal plans.
    """
    from placement_cli.blocks.candidates import candidates, tiling_candidates

    samples = max(n_samples, 1)
    parts = PartPrice(price, samples, structure.n_in, structure.n_out)
    if tiling_only:
        found = tiling_candidates(structure, parts)
    else:
        found = candidates(structure, parts, on_mlx=backend == "mlx")
    choices = _ranked(found, price, samples)
    if backend == "mlx" and not tiling_only:
        compiled = (replace(choice.plan, compiled=True) for choice in choices[:COMPILED_TRIED])
        choices = _ranked((*(choice.plan for choice in choices), *compiled), price, samples)
    return choices


def _ranked(plans: Iterable[BlockPlan], price: Price, samples: int) -> list[Choice]:
    """Price plans and sort them; of equal prices the one with fewer calls, then the earlier."""
    choices = []
    for plan in dict.fromkeys(plans):
        formulation = plan.formulation
        predicted = checked(price(formulation, samples))
        if isfinite(predicted):
            choices.append(Choice(plan, formulation, predicted))
    return sorted(choices, key=lambda choice: (choice.predicted_s, choice.formulation.calls))


def plan_block_matmul(
    weights: Any,
    n_samples: float,
    *,
    force: bool = False,
    dispatched: bool = False,
    profile: Priced | Price | None = None,
    tolerance: float = 0.0,
    tiling_only: bool = False,
) -> BlockPlan | None:
    """Return the cheapest plan for `x @ weights`, or None for the dense product.

    Args:
        weights: inputs x outputs; NumPy, SciPy sparse or MLX. Weights without two axes are left to the dense
            product, as are empty ones.
        n_samples: samples a message (everything but the channels), 1 or more; below 1 counts as 1.
        force: return the finest block structure there is, whatever it costs.
        dispatched: plan for a backend that dispatches kernels (MLX), with its constants where no profile is
            given. Weights of MLX imply it.
        profile: prices; None means the constants that ezmsg-sigproc ships.
        tolerance: weights up to this share of the largest count as zero.
        tiling_only: keep to plans that ezmsg-sigproc's own executor can run.

    Raises UnusableWeights for what holds no numbers, ValueError for a number of samples that is none.
    """
    from placement_cli.blocks.candidates import finest_plan
    from placement_cli.blocks.finding import find_structure
    from placement_cli.blocks.matrices import is_mlx

    samples = whole_samples(n_samples)
    if len(getattr(weights, "shape", (0, 0))) != 2 or 0 in getattr(weights, "shape", ()):
        return None
    structure = find_structure(weights, tolerance)
    on_mlx = dispatched or is_mlx(weights)
    if force and (finest := finest_plan(structure)):
        return finest
    backend: Backend = "mlx" if on_mlx else "numpy"
    price = price_of(profile, dispatched=on_mlx)
    choices = choose(structure, samples, price, backend=backend, tiling_only=tiling_only)
    if force:
        choices = [choice for choice in choices if not choice.is_dense]
    return choices[0].plan if choices and not choices[0].is_dense else None


def price_of(profile: Priced | Price | None, *, dispatched: bool) -> Price:
    """Return the price to plan by: the profile's, or ezmsg-sigproc's constants where there is none."""
    if profile is None:
        return upstream_price(call_cost_macs=CALL_COST_MACS_DISPATCHED) if dispatched else upstream_price()
    priced: Any = profile
    price: Price = getattr(priced, "price", priced)
    return price


def whole_samples(n_samples: float) -> int:
    """Return a number of samples as a whole number of at least 1; raises ValueError when it is NaN or infinite."""
    if not isfinite(n_samples):
        raise ValueError(f"n_samples is {n_samples}; it is the number of samples a message, 1 or more")
    return max(round(n_samples), 1)
