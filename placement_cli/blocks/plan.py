"""A plan: how to compute `x @ W` for every W of one structure. It holds no weights and can be pickled.

A plan is a list of sections. A section reads channels of `x` (all, or some by index), computes runs of blocks
on them, and writes columns of `y` (all, or some by index). Sections write different columns; those that
accumulate come last and add to what is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from placement_cli.blocks.formulation import BlockShape, Formulation, Kind, Part, run_length

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from placement_cli.blocks.channels import Channels


@dataclass(frozen=True, slots=True)
class Run:
    """`count` blocks of `rows` inputs x `columns` outputs, computed in one way.

    Block i reads inputs from `row_start + i * row_step` on (the step may be negative, or shorter than a block)
    and writes outputs from `column_start + i * columns` on. Numbers are those of the section's own channels.
    MASKED_MM is one block, of which `count` tiles of side `tile` are not zero.
    """

    kind: Kind
    row_start: int
    rows: int
    column_start: int
    columns: int
    count: int = 1
    row_step: int = 0
    tile: int = 0

    @property
    def n_blocks(self) -> int:
        """How many blocks there are."""
        return 1 if self.kind is Kind.MASKED_MM else self.count

    @property
    def width(self) -> int:
        """Outputs written."""
        return self.columns * self.n_blocks

    def rows_of(self, i: int) -> slice:
        """The inputs that block `i` reads."""
        start = self.row_start + i * self.row_step
        return slice(start, start + self.rows)

    def columns_of(self, i: int) -> slice:
        """The outputs that block `i` writes."""
        start = self.column_start + i * self.columns
        return slice(start, start + self.columns)

    def blocks(self) -> Iterator[tuple[slice, slice]]:
        """Yield inputs and outputs of every block."""
        return ((self.rows_of(i), self.columns_of(i)) for i in range(self.n_blocks))


@dataclass(frozen=True, slots=True)
class Section:
    """Runs over the same channels. Without an index they are those of `x` and `y` themselves."""

    runs: tuple[Run, ...]
    in_index: Channels | None = None
    out_index: Channels | None = None
    accumulates: bool = False

    def spans(self) -> list[tuple[int, int]]:
        """Return (start, stop) of the columns of `y` that are written, ascending; one each by index."""
        if self.out_index is not None:
            return [(column, column + 1) for column in sorted(self.out_index.array.tolist())]
        return sorted((run.column_start, run.column_start + run.width) for run in self.runs)


@dataclass(frozen=True)
class BlockPlan:
    """How to evaluate `x @ W` for weights of `n_in` inputs x `n_out` outputs.

    Weights up to `tolerance` times the largest count as zero. `notes` are sentences on what a user should know.
    """

    n_in: int
    n_out: int
    sections: tuple[Section, ...]
    tolerance: float = 0.0
    compiled: bool = False
    notes: tuple[str, ...] = ()

    @property
    def blocks(self) -> tuple[tuple[slice, slice], ...]:
        """(rows, columns) of every block, thin products aside, in the channels of their section.

        Where `is_tiling` these are the blocks of an ezmsg-sigproc plan: they tile what `in_perm` and `out_perm`
        select.
        """
        runs = (run for section in self.sections for run in section.runs if run.kind is not Kind.THIN)
        return tuple(block for run in runs for block in run.blocks())

    @property
    def n_blocks(self) -> int:
        """How many blocks there are."""
        runs = (run for section in self.sections for run in section.runs if run.kind is not Kind.THIN)
        return sum(run.n_blocks for run in runs)

    @property
    def in_perm(self) -> NDArray[np.intp] | None:
        """The inputs in the order in which the blocks read them; None: as they come."""
        index = self.sections[0].in_index if self.sections else None
        return index.array if index is not None else None

    @property
    def out_perm(self) -> NDArray[np.intp] | None:
        """The outputs in the order in which the blocks write them; None: as they go out."""
        index = self.sections[0].out_index if self.sections else None
        return index.array if index is not None else None

    @property
    def is_tiling(self) -> bool:
        """Whether an executor that knows `blocks`, `in_perm` and `out_perm` alone computes the product.

        It reads `weights[in_perm][:, out_perm]` by blocks, which write every output once, in order.
        """
        if len(self.sections) != 1:
            return False
        bounds = [0]
        for _, columns in self.blocks:
            if columns.start != bounds[-1]:
                return False
            bounds.append(columns.stop)
        return bounds[-1] == self.n_out

    @cached_property
    def zero_columns(self) -> tuple[tuple[int, int], ...]:
        """(start, stop) of the outputs that no section writes: they are zero."""
        spans = sorted(span for section in self.sections if not section.accumulates for span in section.spans())
        gaps, reached = [], 0
        for start, stop in [*spans, (self.n_out, self.n_out)]:
            if start > reached:
                gaps.append((reached, start))
            reached = max(reached, stop)
        return tuple(gaps)

    @property
    def formulation(self) -> Formulation:
        """What a cost model is told about this plan."""
        indices = [i for section in self.sections for i in (section.in_index, section.out_index) if i is not None]
        return Formulation(
            self.n_in,
            self.n_out,
            run_length(part for section in self.sections for part in _parts(section)),
            gathered_in=_indexed(section.in_index for section in self.sections),
            gathered_out=_indexed(section.out_index for section in self.sections),
            gathers=len(indices),
            zero_filled_out=sum(stop - start for start, stop in self.zero_columns),
            compiled=self.compiled,
        )

    def explain(self) -> str:
        """Return the plan in words, a step a line, notes last."""
        from placement_cli.blocks.explaining import explain

        return explain(self)

    def bind(self, weights: Any, backend: str | None = None) -> Callable[[Any], Any]:
        """Prepare the blocks of `weights` and return the callable that maps x to `x @ weights`.

        The callable takes x of shape (..., n_in) and returns (..., n_out). `backend` is "numpy" or "mlx", the
        default that of `weights` (NumPy for sparse ones). The weights are copied: later changes to the array
        do not reach the callable. Raises UnusableWeights when the weights have another shape, or nonzero
        weights outside the blocks of this plan.
        """
        from placement_cli.blocks.binding import bind

        return bind(self, weights, backend)


def apply_block_plan(plan: BlockPlan, x: Any, weights: Any) -> Any:
    """Return `x @ weights` (shape (..., n_out)) computed once as the plan says, with the library of `x`.

    Raises UnusableWeights as `BlockPlan.bind` does. For more than one x, bind once and keep the callable.
    """
    from placement_cli.blocks.matrices import is_mlx

    return plan.bind(weights, "mlx" if is_mlx(x) else "numpy")(x)


def _indexed(indices: Iterable[Channels | None]) -> int:
    return sum(len(index) for index in indices if index is not None)


def _parts(section: Section) -> Iterator[Part]:
    for run in section.runs:
        if run.kind is Kind.ELEMENTWISE:
            yield Part(run.kind, BlockShape(run.count, run.count))
        elif run.kind is Kind.MASKED_MM:
            yield Part(run.kind, BlockShape(run.rows, run.columns), run.count, tile=run.tile)
        else:
            shape = BlockShape(run.rows, run.columns)
            yield Part(run.kind, shape, run.count, accumulates=section.accumulates)
