"""How full each part of a weight matrix is: what a picture of it is drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from placement_cli.blocks.extents import CHUNK_BYTES, Numbers
from placement_cli.blocks.matrices import is_mlx, is_sparse, read_matrix

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Order = Sequence[int] | Numbers | None


def occupancy(
    weights: Any, columns: int, lines: int, in_order: Order = None, out_order: Order = None
) -> NDArray[np.float64]:
    """Return the share of nonzero weights in each of at most `lines` x `columns` cells of equal size.

    `weights` is inputs x outputs (NumPy, SciPy sparse or MLX, any type of number); lines go over inputs, columns
    over outputs, and no cell is less than one weight. A share is 0 only where every weight is zero; NaN counts as
    nonzero. `in_order` and `out_order` are the channels in the order in which they are drawn, each at most once;
    those left out are not drawn. Takes one byte a weight at most beside the weights (sparse: 32 a nonzero).

    Raises UnusableWeights for weights that are no matrix of numbers, ValueError for fewer cells than one.
    """
    if columns < 1 or lines < 1:
        raise ValueError(f"a picture of {columns} columns and {lines} lines has no cells")
    matrix = read_matrix(weights != 0 if is_mlx(weights) else weights)
    ins, outs = (_channels(order, size) for order, size in zip((in_order, out_order), matrix.shape, strict=True))
    in_edges, out_edges = cell_edges(len(ins), lines), cell_edges(len(outs), columns)
    shape = len(in_edges) - 1, len(out_edges) - 1
    if 0 in shape:
        return np.zeros(shape)
    counts = _sparse_counts if is_sparse(matrix) else _dense_counts
    areas = np.diff(in_edges)[:, None] * np.diff(out_edges)
    shares: NDArray[np.float64] = counts(matrix, ins, outs, in_edges, out_edges) / areas
    return shares


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Shares of nonzero weights by cell, and the channels at which the cells begin (the last entry: end)."""

    shares: NDArray[np.float64]
    in_edges: Numbers
    out_edges: Numbers


def joined(shares: NDArray[np.float64], n_in: int, n_out: int, columns: int, lines: int) -> Cells:
    """Return what `occupancy` counted of `n_in` x `n_out` weights in at most `lines` x `columns` larger cells."""
    in_edges, out_edges = cell_edges(n_in, shares.shape[0]), cell_edges(n_out, shares.shape[1])
    in_joints, out_joints = cell_edges(shares.shape[0], lines), cell_edges(shares.shape[1], columns)
    counts = shares * np.diff(in_edges)[:, None] * np.diff(out_edges)
    sums = np.add.reduceat(np.add.reduceat(counts, in_joints[:-1], axis=0), out_joints[:-1], axis=1)
    in_edges, out_edges = in_edges[in_joints], out_edges[out_joints]
    return Cells(sums / (np.diff(in_edges)[:, None] * np.diff(out_edges)), in_edges, out_edges)


def cell_edges(channels: int, cells: int) -> Numbers:
    """Return where each of at most `cells` cells of equal size starts among `channels`, and where the last ends."""
    cells = min(cells, channels)
    return np.arange(cells + 1) * channels // max(cells, 1)


def _channels(order: Order, size: int) -> Numbers:
    return np.arange(size) if order is None else np.asarray(order, dtype=np.intp)


def _dense_counts(matrix: NDArray[Any], ins: Numbers, outs: Numbers, in_edges: Numbers, out_edges: Numbers) -> Numbers:
    """Count line by line, in the memory order of the matrix."""
    if matrix.flags.f_contiguous and not matrix.flags.c_contiguous:
        return _dense_counts(matrix.T, outs, ins, out_edges, in_edges).T
    counts = [np.zeros(matrix.shape[1], np.intp) for _ in in_edges[1:]]
    for line, rows in _row_pieces(matrix, ins, in_edges):
        counts[line] += np.count_nonzero(matrix[rows], axis=0)
    return np.add.reduceat(np.array(counts)[:, outs], out_edges[:-1], axis=1)


def _row_pieces(matrix: NDArray[Any], ins: Numbers, in_edges: Numbers) -> Iterator[tuple[int, Numbers]]:
    """Yield the rows of every line in pieces small enough to copy."""
    step = max(CHUNK_BYTES // max(matrix.shape[1] * matrix.itemsize, 1), 1)
    for line, (start, stop) in enumerate(pairwise(in_edges.tolist())):
        yield from ((line, ins[at : min(at + step, stop)]) for at in range(start, stop, step))


def _sparse_counts(matrix: Any, ins: Numbers, outs: Numbers, in_edges: Numbers, out_edges: Numbers) -> Numbers:
    """Count the nonzeros of a canonical CSR matrix by the cell they fall into."""
    line_of = _cell_of(ins, in_edges, matrix.shape[0])
    column_of = _cell_of(outs, out_edges, matrix.shape[1])
    lines = np.repeat(line_of, np.diff(matrix.indptr))
    columns = column_of[matrix.indices]
    drawn = (lines >= 0) & (columns >= 0)
    shape = len(in_edges) - 1, len(out_edges) - 1
    cells = lines[drawn] * shape[1] + columns[drawn]
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)


def _cell_of(channels: Numbers, edges: Numbers, size: int) -> Numbers:
    """Return the cell of each of `size` channels, -1 for those that are not drawn."""
    cell_of = np.full(size, -1, np.intp)
    cell_of[channels] = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
    return cell_of
