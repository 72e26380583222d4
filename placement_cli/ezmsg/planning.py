"""Plans in both directions: ours for ezmsg-sigproc's executor, its own as ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from placement_cli.blocks import planner
from placement_cli.blocks.matrices import UnusableWeights

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from placement_cli.blocks.formulation import Price
    from placement_cli.blocks.plan import BlockPlan

Planner = Callable[..., Any]
"""A function with the signature of ezmsg-sigproc's `plan_block_matmul`."""


def planner_over(beneath: Planner, prices: Mapping[bool, Price], plan_class: Callable[..., Any]) -> Planner:
    """Return a planner for ezmsg-sigproc that goes by `prices`, one for `dispatched` and one for not.

    It returns plans of `plan_class`, which is upstream's `BlockPlan`. Where there is no price, and for weights that
    our planner refuses to read (objects, say), `beneath` is asked.
    """

    def plan_block_matmul(
        weights: Any, n_samples: float, *, force: bool = False, dispatched: bool = False
    ) -> Any | None:
        """Return the cheapest plan that ezmsg-sigproc can execute, None for the dense product."""
        price = prices.get(bool(dispatched))
        if price is None:
            return beneath(weights, n_samples, force=force, dispatched=dispatched)
        try:
            plan = planner.plan_block_matmul(
                weights, n_samples, force=force, dispatched=dispatched, profile=price, tiling_only=True
            )
        except UnusableWeights:
            return beneath(weights, n_samples, force=force, dispatched=dispatched)
        return None if plan is None else to_upstream(plan, plan_class)

    return plan_block_matmul


def to_upstream(plan: BlockPlan, plan_class: Callable[..., Any]) -> Any:
    """Return a plan that `is_tiling` as upstream's: its blocks tile what the permutations select.

    Inputs without weights may be left out, which upstream's own plans never do and its executor does not mind.
    """
    return plan_class(blocks=plan.blocks, in_perm=_writable(plan.in_perm), out_perm=_writable(plan.out_perm))


def from_upstream(plan: Any, n_in: int, n_out: int) -> BlockPlan:
    """Return a plan of upstream for weights of `n_in` inputs x `n_out` outputs as one of ours, a loop over blocks."""
    import numpy as np

    from placement_cli.blocks.channels import Channels
    from placement_cli.blocks.merging import separate
    from placement_cli.blocks.plan import BlockPlan, Section
    from placement_cli.blocks.units import Units

    bounds = [(rows.start, rows.stop, columns.start, columns.stop) for rows, columns in plan.blocks]
    row_starts, row_stops, column_starts, column_stops = np.array(bounds, np.intp).T
    units = Units.of((row_starts, row_stops), (column_starts, column_stops))
    gathered, scattered = (None if perm is None else Channels(perm) for perm in (plan.in_perm, plan.out_perm))
    return BlockPlan(n_in, n_out, (Section(separate(units), gathered, scattered),))


def _writable(channels: NDArray[Any] | None) -> NDArray[Any] | None:
    return None if channels is None else channels.copy()
