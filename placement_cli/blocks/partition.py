"""The finest gap-free tiling of a matrix by diagonal blocks that need no reordering."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from placement_cli.blocks.matrices import read_matrix

if TYPE_CHECKING:
    from placement_cli.blocks.extents import Extents

Tile = tuple[slice, slice]


def contiguous_block_partition(weights: Any) -> list[Tile]:
    """Return the finest (rows, columns) tiling of `weights` (inputs x outputs) by contiguous diagonal blocks.

    Every nonzero weight (NaN and infinity count) lies in one tile; the tiles cover every row and every column
    once, in order. A row without weights belongs to the tile before it, a column without weights to the tile
    after it, at the edges to the nearest; one tile says that there is no structure in this order of
    channels. Accepts NumPy, SciPy sparse and MLX matrices; raises UnusableWeights for anything else.
    The meaning is that of ezmsg-sigproc's function of this name.
    """
    from placement_cli.blocks.extents import extents_of, nonzero_mask
    from placement_cli.blocks.matrices import is_sparse

    matrix = read_matrix(weights)
    return tiling(extents_of(matrix if is_sparse(matrix) else nonzero_mask(matrix)))


def tiling(extents: Extents) -> list[Tile]:
    """Return the finest tiling that the extents of a matrix allow.

    After row i a tile may end when the columns reached so far are reached by no later row.
    """
    import numpy as np

    n_rows, n_columns = extents.shape
    whole = [(slice(0, n_rows), slice(0, n_columns))]
    if n_rows == 0 or n_columns == 0:
        return whole
    columns_reached = np.maximum.accumulate(extents.last_column)
    rows_reached = np.maximum.accumulate(extents.last_row)
    closed = rows_reached[np.maximum(columns_reached, 0)] <= np.arange(n_rows)
    ends = np.flatnonzero((columns_reached >= 0) & closed)
    if ends.size == 0:
        return whole
    column_ends = columns_reached[ends] + 1
    column_ends[-1] = n_columns
    opens = np.diff(column_ends, prepend=0) > 0  # rows that add no column stay with the tile before them
    row_starts = np.concatenate([[0], ends[:-1] + 1])[opens]
    row_bounds = [*row_starts.tolist(), n_rows]
    column_bounds = [0, *column_ends[opens].tolist()]
    return list(zip(_slices(row_bounds), _slices(column_bounds), strict=True))


def _slices(bounds: list[int]) -> list[slice]:
    return [slice(start, stop) for start, stop in pairwise(bounds)]
