"""Asking ezmsg-sigproc's own planner what it would do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placement_cli.blocks.matrices import UnusableWeights, is_sparse, read_matrix
from placement_cli.blocks.planner import whole_samples
from placement_cli.ezmsg.installed import PLANNER, planner_module
from placement_cli.ezmsg.overlay import OVERLAY
from placement_cli.ezmsg.planning import from_upstream

if TYPE_CHECKING:
    from placement_cli.blocks.plan import BlockPlan

MOST_WRITTEN_OUT = 1 << 28
"""Sparse weights are written out for upstream, a byte a weight, up to so many (256 MiB)."""


def upstream_plan(weights: Any, samples: float, *, dispatched: bool) -> BlockPlan | None:
    """Return what ezmsg-sigproc's planner chooses for `x @ weights` and chunks of `samples` samples; None for dense.

    It is upstream's own function with the constants it has now, also while `use_profile` has another planner in its
    place. `weights` are inputs x outputs, NumPy, SciPy sparse or MLX; of sparse ones upstream is given where they are
    not zero, which is all it looks at. From 2^20 weights on it may take seconds and a multiple of their memory.

    Raises UsageError without a usable ezmsg-sigproc, UnusableWeights (a UsageError) for what is no matrix of numbers
    and for sparse weights too large to write out, ValueError when `samples` is NaN or infinite.
    """
    module = planner_module(names=[PLANNER])
    matrix = _written_out(read_matrix(weights))
    plan = OVERLAY.own_planner(module)(matrix, whole_samples(samples), dispatched=dispatched)
    return None if plan is None else from_upstream(plan, *matrix.shape)


def _written_out(matrix: Any) -> Any:
    if not is_sparse(matrix):
        return matrix
    n_in, n_out = matrix.shape
    if n_in * n_out > MOST_WRITTEN_OUT:
        raise UnusableWeights(
            f"ezmsg-sigproc takes no sparse weights, and these are too large to write out for it ({n_in} x {n_out}, "
            f"at most {MOST_WRITTEN_OUT} weights); compare a part of them."
        )
    return matrix.astype(bool).toarray()
