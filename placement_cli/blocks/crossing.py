"""Rows and columns that cross the blocks: one dense output is enough to tie every channel to every other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from placement_cli.blocks.matrices import is_sparse
from placement_cli.blocks.structure import BAND_SHARE, Crossing, Pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from placement_cli.blocks.extents import Extents, Mask, Numbers

WORTHWHILE_SHARE = 0.75
"""Where more of the matrix is nonzero, nothing is won by taking rows and columns out of it."""
FEW = 16
"""Rows (columns) that cross blocks are few when they are at most one in so many that are used, or one."""
LONG = 2.0
"""A row crosses blocks when it has more than half of the used columns, or so many times the median row's."""


def find_crossing(mask: Any, pattern: Pattern, search: Callable[[Any], Pattern]) -> Crossing | None:
    """Return the few rows and columns without which the matrix falls into blocks or a band, or None.

    `mask` is the mask or CSR matrix of the pattern; `search` returns the pattern of another one. A mask may
    be overwritten.
    """
    if not 0 < pattern.nonzero <= WORTHWHILE_SHARE * mask.shape[0] * mask.shape[1]:
        return None
    row_counts, column_counts = _counts(mask)
    for bound in (0.5, LONG):
        rows = _long(row_counts, len(pattern.extents.used_columns), bound)
        columns = _long(column_counts, len(pattern.extents.used_rows), bound)
        if not (len(rows) or len(columns)):
            continue
        rest = search(_without(mask, rows, columns))
        if _is_better(rest, pattern):
            return Crossing(tuple(rows.tolist()), tuple(columns.tolist()), rest)
        return None
    return None


def _counts(mask: Any) -> tuple[Numbers, Numbers]:
    if is_sparse(mask):
        rows, columns = np.diff(mask.indptr), np.bincount(mask.indices, minlength=mask.shape[1])
        return rows.astype(np.intp), columns.astype(np.intp)
    if mask.flags.f_contiguous and not mask.flags.c_contiguous:
        return _mask_counts(mask.T)[::-1]
    return _mask_counts(mask)


def _mask_counts(mask: Mask) -> tuple[Numbers, Numbers]:
    rows = np.fromiter((np.count_nonzero(row) for row in mask), np.intp, mask.shape[0])
    columns = np.zeros(mask.shape[1], np.intp)
    for start in range(0, mask.shape[0], 255):  # up to 255 rows add up in one byte a column
        columns += np.add.reduce(mask[start : start + 255].view(np.uint8), axis=0, dtype=np.uint8)
    return rows, columns


def _long(counts: Numbers, across: int, bound: float) -> Numbers:
    """Return the rows (columns) that are much longer than most, when they are few."""
    used = counts[counts > 0]
    limit = bound * across if bound < 1.0 else bound * float(np.median(used))
    long = np.flatnonzero(counts > max(limit, 1.0))
    return long if len(long) <= max(len(used) // FEW, 1) else long[:0]


def _without(mask: Any, rows: Numbers, columns: Numbers) -> Any:
    if not is_sparse(mask):
        mask[rows] = False
        mask[:, columns] = False
        return mask
    kept = mask.astype(np.bool_)
    row_of = np.repeat(np.arange(mask.shape[0]), np.diff(mask.indptr))
    kept.data[:] = ~(np.isin(row_of, rows) | np.isin(mask.indices, columns))
    kept.eliminate_zeros()
    return kept


def _is_better(rest: Pattern, whole: Pattern) -> bool:
    """Whether the rest falls into more blocks of which none is nearly everything, or becomes a band."""
    if len(rest.components) > max(len(whole.components), 1):
        return _largest_block(rest) < WORTHWHILE_SHARE * max(_largest_block(whole), 1)
    return rest.nonzero > 0 and _share(rest.reach, rest.extents) < BAND_SHARE * _share(whole.reach, whole.extents)


def _largest_block(pattern: Pattern) -> int:
    return int((pattern.components.n_rows * pattern.components.n_columns).max(initial=0))


def _share(reach: int, extents: Extents) -> float:
    return reach / max(extents.shape[0] * extents.shape[1], 1)
