"""Taking the blocks of a plan out of a weight matrix, and refusing matrices that the plan does not describe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from placement_cli.blocks.extents import Numbers, row_chunks
from placement_cli.blocks.finding import is_constant_off_diagonal, largest_weight
from placement_cli.blocks.formulation import Kind
from placement_cli.blocks.matrices import UnusableWeights, is_mlx, is_sparse, read_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from placement_cli.blocks.plan import BlockPlan, Run, Section

Bound = Callable[[Any], Any]


@dataclass(frozen=True, slots=True, eq=False)
class BoundRun:
    """A run with its weights, which are copies.

    `weights` is (count, rows, columns); of ELEMENTWISE the diagonal, one weight a channel; of SHARED_SUM what
    the diagonal has beyond the constant of its block, and `constants` is one a block. MASKED_MM has the whole
    matrix in the section's channels, (1, rows, columns), and in `tiles` which of its tiles are not zero.
    """

    run: Run
    weights: NDArray[Any]
    constants: NDArray[Any] | None = None
    tiles: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class BoundSection:
    """A section with the weights of its runs."""

    section: Section
    runs: tuple[BoundRun, ...]


def bind(plan: BlockPlan, weights: Any, backend: str | None = None) -> Bound:
    """Return the callable that maps x to `x @ weights`; see `BlockPlan.bind`."""
    chosen = backend or ("mlx" if is_mlx(weights) else "numpy")
    matrix = read_matrix(weights)
    sections = bound_sections(plan, matrix)
    if chosen == "numpy":
        from placement_cli.blocks.numpy_product import NumpyProduct

        return NumpyProduct(plan, sections, matrix.dtype)
    if chosen == "mlx":
        from placement_cli.blocks.mlx_product import mlx_product

        return mlx_product(plan, sections, weights.dtype if is_mlx(weights) else None)
    raise ValueError(f"unknown backend {chosen!r}; it is 'numpy' or 'mlx'")


def bound_sections(plan: BlockPlan, matrix: Any) -> tuple[BoundSection, ...]:
    """Return the sections with their weights; raises UnusableWeights where they are not all there is."""
    if matrix.shape != (plan.n_in, plan.n_out):
        raise UnusableWeights(
            f"Weights of {matrix.shape[0]} x {matrix.shape[1]} for a plan of {plan.n_in} x {plan.n_out}; "
            f"plan again for these weights."
        )
    threshold = plan.tolerance * largest_weight(matrix) if plan.tolerance else 0.0
    reader = _Reader(matrix, threshold, *_crossed(plan))
    sections = tuple(
        BoundSection(section, tuple(reader.bound(section, run) for run in section.runs)) for section in plan.sections
    )
    lost = _nonzeros(matrix, threshold) - reader.taken
    if lost:
        raise UnusableWeights(
            f"{lost} nonzero weights lie outside the blocks of this plan and would be lost; plan again for "
            f"these weights."
        )
    return sections


def _crossed(plan: BlockPlan) -> tuple[Numbers, Numbers]:
    """Return the rows and columns that thin sections compute, which blocks must therefore leave out."""
    rows, columns = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
    for section in plan.sections:
        for run in section.runs:
            if run.kind is Kind.THIN and section.accumulates:
                rows.append(channels_of(section.in_index, run.row_start, run.rows))
            elif run.kind is Kind.THIN:
                columns.append(channels_of(section.out_index, run.column_start, run.width))
    return np.concatenate(rows), np.concatenate(columns)


def channels_of(index: Any, start: int, size: int) -> Numbers:
    """Return the channels of x or y that `size` channels of a section from `start` on are."""
    return np.arange(start, start + size) if index is None else index.array[start : start + size]


def _nonzeros(matrix: Any, threshold: float) -> int:
    """Count the weights above `threshold`, those that are not zero without one; NaN counts."""
    pieces = [matrix.data] if is_sparse(matrix) else [matrix[rows] for rows in row_chunks(matrix)]
    return sum(_above(piece, threshold) for piece in pieces)


def _above(piece: NDArray[Any], threshold: float) -> int:
    if threshold <= 0.0:
        return int(np.count_nonzero(piece))
    return piece.size - int(np.count_nonzero(np.abs(piece) <= threshold))


class _Reader:
    """Reads blocks out of a matrix and counts the nonzero weights taken."""

    def __init__(self, matrix: Any, threshold: float, rows: Numbers, columns: Numbers) -> None:
        """Leave `rows` and `columns` out of every block but the thin ones."""
        self.taken = 0
        self._matrix = matrix
        self._threshold = threshold
        self._crossed = np.zeros(matrix.shape[0], np.bool_), np.zeros(matrix.shape[1], np.bool_)
        self._crossed[0][rows] = True
        self._crossed[1][columns] = True

    def bound(self, section: Section, run: Run) -> BoundRun:
        """Return `run` with its weights."""
        if run.kind is Kind.ELEMENTWISE:
            return BoundRun(run, self._diagonal(section, run))
        blocks = np.stack([self._block(section, run, i) for i in range(run.n_blocks)])
        if run.kind is Kind.SHARED_SUM:
            return _with_constants(run, blocks)
        if run.kind is Kind.MASKED_MM:
            return BoundRun(run, blocks, tiles=_nonzero_tiles(blocks[0], run.tile))
        return BoundRun(run, blocks)

    def _block(self, section: Section, run: Run, i: int) -> NDArray[Any]:
        rows = _numbers(section.in_index, run.rows_of(i))
        columns = _numbers(section.out_index, run.columns_of(i))
        block = self._read(rows, columns)
        if not section.accumulates:
            block[self._crossed[0][rows]] = 0
            if run.kind is not Kind.THIN:
                block[:, self._crossed[1][columns]] = 0
        self.taken += _above(block, self._threshold)
        return block

    def _read(self, rows: Numbers | slice, columns: Numbers | slice) -> NDArray[Any]:
        """Return a copy of a block, row after row: BLAS is slower on small transposed weights, some by two thirds."""
        if is_sparse(self._matrix):
            block: NDArray[Any] = self._matrix[rows][:, columns].toarray(order="C")
            return block
        if isinstance(rows, slice) or isinstance(columns, slice):
            return np.array(self._matrix[rows, columns], order="C")
        return np.array(self._matrix[np.ix_(rows, columns)], order="C")

    def _diagonal(self, section: Section, run: Run) -> NDArray[Any]:
        rows = channels_by_step(section.in_index, run)
        columns = channels_of(section.out_index, run.column_start, run.width)
        diagonal = np.array(self._matrix[rows, columns]).reshape(-1)
        diagonal[self._crossed[0][rows] | self._crossed[1][columns]] = 0
        self.taken += _above(diagonal, self._threshold)
        return diagonal


def channels_by_step(index: Any, run: Run) -> Numbers:
    """Return the channel of x that each block of one input reads."""
    places = run.row_start + run.row_step * np.arange(run.count)
    return places if index is None else index.array[places]


def _numbers(index: Any, place: slice) -> Any:
    return place if index is None else index.array[place]


def _with_constants(run: Run, blocks: NDArray[Any]) -> BoundRun:
    """Split blocks into a diagonal and one constant each; raises UnusableWeights when they are no such thing."""
    constants = blocks[:, 0, 1].copy()
    pairs = zip(blocks, constants, strict=True)
    if not all(is_constant_off_diagonal(block, constant) for block, constant in pairs):
        raise UnusableWeights(
            "Blocks that were a diagonal plus one constant are not any more; plan again for these weights."
        )
    beyond = np.diagonal(blocks, axis1=1, axis2=2) - constants[:, None]
    return BoundRun(run, np.ascontiguousarray(beyond).reshape(-1), constants)


def _nonzero_tiles(block: NDArray[Any], tile: int) -> NDArray[np.bool_]:
    """Return which tiles of a matrix hold a nonzero weight, those cut off by its edge included."""
    n_rows, n_columns = (-(-size // tile) for size in block.shape)
    tiles = np.zeros((n_rows, n_columns), np.bool_)
    starts = np.arange(0, block.shape[1], tile)
    for i in range(n_rows):
        used = (block[i * tile : (i + 1) * tile] != 0).any(axis=0)
        tiles[i] = np.logical_or.reduceat(used, starts)
    return tiles
