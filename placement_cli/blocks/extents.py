"""How far the nonzero weights of every row and column reach: few numbers that settle most questions.

Reading them costs about one pass over the matrix, and less where the first and last weights are not zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placement_cli.blocks.matrices import is_sparse

Numbers = NDArray[np.intp]
Mask = NDArray[np.bool_]

STRIP = 64
"""Rows or columns looked at together; a strip of a matrix with 4096 channels is a quarter of a megabyte."""
CHUNK_BYTES = 1 << 16
"""Temporary arrays of one pass over a matrix stay about this small: they fit the caches of every machine."""


@dataclass(frozen=True, slots=True, eq=False)
class Extents:
    """First and last nonzero column of every row, first and last nonzero row of every column; -1: none."""

    first_column: Numbers
    last_column: Numbers
    first_row: Numbers
    last_row: Numbers

    @property
    def shape(self) -> tuple[int, int]:
        """Inputs and outputs."""
        return len(self.first_column), len(self.first_row)

    @property
    def used_rows(self) -> Numbers:
        """Rows with a nonzero weight, ascending."""
        return np.flatnonzero(self.first_column >= 0)

    @property
    def used_columns(self) -> Numbers:
        """Columns with a nonzero weight, ascending."""
        return np.flatnonzero(self.first_row >= 0)

    @property
    def transposed(self) -> Extents:
        """The extents of the transposed matrix."""
        return Extents(self.first_row, self.last_row, self.first_column, self.last_column)


def nonzero_mask(matrix: NDArray[Any], threshold: float = 0.0) -> Mask:
    """Return which weights count, one byte a weight, in the memory order of the matrix.

    NaN and infinity count. With a `threshold` so do only weights whose magnitude is above it.
    """
    if threshold <= 0.0:
        everywhere: Mask = np.not_equal(matrix, 0)
        return everywhere
    mask = np.empty_like(matrix, dtype=np.bool_)
    for rows in row_chunks(matrix):
        np.less_equal(np.abs(matrix[rows]), threshold, out=mask[rows])
    return np.logical_not(mask, out=mask)


def row_chunks(matrix: NDArray[Any]) -> list[slice]:
    """Return slices of rows that hold at most CHUNK_BYTES each (one row at least)."""
    n_rows, row_bytes = matrix.shape[0], max(matrix.shape[1] * matrix.itemsize, 1)
    step = max(CHUNK_BYTES // row_bytes, 1)
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def extents_of(pattern: Any) -> Extents:
    """Return the extents of a mask (NumPy, bool) or of a canonical CSR matrix."""
    if is_sparse(pattern):
        return _sparse_extents(pattern)
    if pattern.flags.f_contiguous and not pattern.flags.c_contiguous:
        return _mask_extents(pattern.T).transposed
    return _mask_extents(np.ascontiguousarray(pattern))


def _mask_extents(mask: Mask) -> Extents:
    n_rows, n_columns = mask.shape
    if mask.size == 0:
        rows, columns = np.full(n_rows, -1, np.intp), np.full(n_columns, -1, np.intp)
        return Extents(rows, rows.copy(), columns, columns.copy())
    first_column = mask.argmax(axis=1)
    first_column[~mask[np.arange(n_rows), first_column]] = -1
    last_column = _last_column(mask, first_column >= 0)
    first_row = _first_row(mask)
    last_row = _first_row(mask[::-1])
    last_row = np.where(last_row >= 0, n_rows - 1 - last_row, -1)
    return Extents(first_column, last_column, first_row, last_row)


def _last_column(mask: Mask, used: Mask) -> Numbers:
    """Return the last nonzero column of every row, looking at strips of columns from the right."""
    last = np.full(mask.shape[0], -1, np.intp)
    open_rows = np.flatnonzero(used)
    stop = mask.shape[1]
    while open_rows.size:
        start = max(stop - STRIP, 0)
        strip = mask[open_rows, start:stop][:, ::-1]
        place = strip.argmax(axis=1)
        found = strip[np.arange(open_rows.size), place]
        last[open_rows[found]] = stop - 1 - place[found]
        open_rows = open_rows[~found]
        stop = start
    return last


def _first_row(mask: Mask) -> Numbers:
    """Return the first nonzero row of every column: find its strip of rows, then its row in the strip."""
    n_rows, n_columns = mask.shape
    strip_of = np.full(n_columns, -1, np.intp)
    for strip in range(-(-n_rows // STRIP)):
        hit = mask[strip * STRIP : (strip + 1) * STRIP].any(axis=0)
        strip_of[hit & (strip_of < 0)] = strip
        if (strip_of >= 0).all():
            break
    first = np.full(n_columns, -1, np.intp)
    for strip in np.unique(strip_of[strip_of >= 0]):
        columns = np.flatnonzero(strip_of == strip)
        inside = mask[strip * STRIP : (strip + 1) * STRIP, columns]
        first[columns] = strip * STRIP + inside.argmax(axis=0)
    return first


def _sparse_extents(csr: Any) -> Extents:
    n_rows, n_columns = csr.shape
    first_column, last_column = np.full(n_rows, -1, np.intp), np.full(n_rows, -1, np.intp)
    used = np.flatnonzero(np.diff(csr.indptr))
    first_column[used] = csr.indices[csr.indptr[used]]
    last_column[used] = csr.indices[csr.indptr[used + 1] - 1]
    first_row, last_row = np.full(n_columns, n_rows, np.intp), np.full(n_columns, -1, np.intp)
    rows = np.repeat(np.arange(n_rows), np.diff(csr.indptr))
    np.minimum.at(first_row, csr.indices, rows)
    np.maximum.at(last_row, csr.indices, rows)
    first_row[last_row < 0] = -1
    return Extents(first_column, last_column, first_row, last_row)
