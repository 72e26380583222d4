"""In which order the components of a matrix lie, and whether slices reach them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from placement_cli.blocks.components import Components

if TYPE_CHECKING:
    from placement_cli.blocks.extents import Extents, Mask, Numbers


def are_neighbours(extents: Extents, components: Components) -> tuple[Mask, Mask]:
    """Return of every component whether its rows, and whether its columns, are neighbours.

    Unused channels between them do not count: a slice over them reads (or writes) nothing that matters.
    """
    n_rows, n_columns = extents.shape
    rows = _are_runs(_rank(extents.used_rows, n_rows)[components.rows], components.row_starts)
    columns = _are_runs(_rank(extents.used_columns, n_columns)[components.columns], components.column_starts)
    return rows, columns


def _rank(used: Numbers, size: int) -> Numbers:
    rank = np.zeros(size, np.intp)
    rank[used] = np.arange(len(used))
    return rank


def _are_runs(ranks: Numbers, starts: Numbers) -> Mask:
    first, last = ranks[starts[:-1]], ranks[starts[1:] - 1]
    runs: Mask = last - first + 1 == np.diff(starts)
    return runs


def are_intervals(components: Components) -> tuple[Mask, Mask]:
    """Return of every component whether its rows, and whether its columns, are without any gap."""
    rows, columns = row_spans(components), column_spans(components)
    return rows[1] - rows[0] == components.n_rows, columns[1] - columns[0] == components.n_columns


def column_order(components: Components) -> Numbers:
    """Return the first column of every component: ascending where the components lie along the diagonal."""
    return components.columns[components.column_starts[:-1]]


def row_spans(components: Components) -> tuple[Numbers, Numbers]:
    """Return the first row of every component and the one after its last."""
    return components.rows[components.row_starts[:-1]], components.rows[components.row_starts[1:] - 1] + 1


def column_spans(components: Components) -> tuple[Numbers, Numbers]:
    """Return the first column of every component and the one after its last."""
    starts = components.column_starts
    return components.columns[starts[:-1]], components.columns[starts[1:] - 1] + 1


def reordered(components: Components, order: Numbers) -> Components:
    """Return the components numbered in `order`, in that order; some may be left out."""
    rows, row_starts = _reordered(components.rows, components.row_starts, order)
    columns, column_starts = _reordered(components.columns, components.column_starts, order)
    return Components(rows, row_starts, columns, column_starts)


def _reordered(members: Numbers, starts: Numbers, order: Numbers) -> tuple[Numbers, Numbers]:
    sizes = np.diff(starts)[order]
    new_starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
    shift = np.repeat(starts[:-1][order] - new_starts[:-1], sizes)
    return members[np.arange(int(sizes.sum())) + shift], new_starts
