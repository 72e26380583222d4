"""Connected components of a matrix: inputs and outputs that weights tie together, however they are ordered.

A component search over all nonzeros costs 40 bytes and 50 ns each, ruinous for a matrix that is mostly
nonzero. One weight a row and column is enough to begin with (the first): where these tie everything
together, as in a dense matrix, nothing is left to find. Otherwise one pass counts the weights inside the
components found so far; only when some lie between components are more ties taken in, one for every row and
column that has one, which at least halves the number of components still to be joined. That a sample of the
edges settles most of a graph is the idea of Sutton, Ben-Nun and Barak (Afforest, 2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from placement_cli.blocks.extents import CHUNK_BYTES, Extents, Mask, Numbers
from placement_cli.blocks.matrices import is_sparse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Edges = tuple[Numbers, Numbers]

SMALL_BLOCK = 1024
"""Components with up to so many weights are looked at together, larger ones one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """The components of a matrix, in the order of their first row; unused rows and columns are in none.

    `rows[row_starts[k]:row_starts[k + 1]]` are the rows of component k, ascending; the same for columns.
    """

    rows: Numbers
    row_starts: Numbers
    columns: Numbers
    column_starts: Numbers

    def __len__(self) -> int:
        return len(self.row_starts) - 1

    @property
    def n_rows(self) -> Numbers:
        """Rows of every component."""
        return np.diff(self.row_starts)

    @property
    def n_columns(self) -> Numbers:
        """Columns of every component."""
        return np.diff(self.column_starts)

    def rows_of(self, k: int) -> Numbers:
        """The rows of component `k`."""
        return self.rows[self.row_starts[k] : self.row_starts[k + 1]]

    def columns_of(self, k: int) -> Numbers:
        """The columns of component `k`."""
        return self.columns[self.column_starts[k] : self.column_starts[k + 1]]


def components_of(pattern: Any, extents: Extents, nonzero: int) -> Components:
    """Return the components of a mask or canonical CSR matrix with `nonzero` entries."""
    if is_sparse(pattern):
        rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
        return _grouped(*_labels(extents, (rows, pattern.indices)))
    edges = _firsts(extents)
    while True:
        labels = _labels(extents, edges)
        found = _grouped(*labels)
        if len(found) <= 1 or nonzeros_inside(pattern, found) == nonzero:
            return found
        edges = _joined(edges, _between(pattern, *labels))


def _firsts(extents: Extents) -> Edges:
    """Return the first weight of every row and of every column as edges."""
    rows, columns = extents.used_rows, extents.used_columns
    of_rows = (rows, extents.first_column[rows])
    return _joined(of_rows, (extents.first_row[columns], columns))


def _joined(some: Edges, more: Edges) -> Edges:
    return np.concatenate([some[0], more[0]]), np.concatenate([some[1], more[1]])


def _labels(extents: Extents, edges: Edges) -> tuple[Numbers, Numbers]:
    """Label rows and columns by component under `edges`, numbered by first row; -1 for the unused."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_rows, n_columns = extents.shape
    size = n_rows + n_columns
    ends = edges[0].astype(np.int32), edges[1].astype(np.int32) + n_rows
    ties = coo_array((np.ones(len(ends[0]), np.int8), ends), shape=(size, size)).tocsr()
    ties.data[:] = 1  # the same edge given often adds up, and int8 could come back to 0
    _, raw = connected_components(ties, directed=False)
    used = extents.used_rows
    _, first, place = np.unique(raw[used], return_index=True, return_inverse=True)
    by_first_row = np.empty(len(first), np.intp)
    by_first_row[np.argsort(first, kind="stable")] = np.arange(len(first))
    of_raw = np.full(size, -1, np.intp)
    of_raw[raw[used]] = by_first_row[place]
    row_label, column_label = np.full(n_rows, -1, np.intp), np.full(n_columns, -1, np.intp)
    row_label[used] = of_raw[raw[used]]
    columns = extents.used_columns
    column_label[columns] = of_raw[raw[columns + n_rows]]
    return row_label, column_label


def _grouped(row_label: Numbers, column_label: Numbers) -> Components:
    count = int(row_label.max(initial=-1)) + 1
    rows, row_starts = _by_label(row_label, count)
    columns, column_starts = _by_label(column_label, count)
    return Components(rows, row_starts, columns, column_starts)


def _by_label(label: Numbers, count: int) -> tuple[Numbers, Numbers]:
    used = np.flatnonzero(label >= 0)
    order = used[np.argsort(label[used], kind="stable")]
    sizes = np.bincount(label[used], minlength=count)
    return order, np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)


def nonzeros_inside(mask: Mask, components: Components) -> int:
    """Count the nonzeros of `mask` that lie inside one of the components."""
    return sum(int(np.count_nonzero(inside)) for inside in _insides(mask, components))


def _insides(mask: Mask, components: Components) -> Iterator[NDArray[Any]]:
    """Yield what lies inside the components, in pieces of bounded size, small ones of one shape together."""
    shapes = np.stack([components.n_rows, components.n_columns], axis=1)
    small = shapes.prod(axis=1) <= SMALL_BLOCK
    for n_rows, n_columns in np.unique(shapes[small], axis=0):
        same = np.flatnonzero((shapes == (n_rows, n_columns)).all(axis=1))
        step = CHUNK_BYTES // (8 * int(n_rows * n_columns)) or 1  # indexing takes 8 bytes an element
        for start in range(0, len(same), step):
            some = same[start : start + step]
            rows = components.rows[components.row_starts[some][:, None] + np.arange(n_rows)]
            columns = components.columns[components.column_starts[some][:, None] + np.arange(n_columns)]
            yield mask[rows[:, :, None], columns[:, None, :]]
    for k in np.flatnonzero(~small).tolist():
        yield from _inside(mask, components.rows_of(k), components.columns_of(k))


def _inside(mask: Mask, rows: Numbers, columns: Numbers) -> Iterator[NDArray[Any]]:
    if _is_interval(rows) and _is_interval(columns):
        yield mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        return
    step = CHUNK_BYTES // max(mask.shape[1], 1) or 1
    for start in range(0, len(rows), step):
        yield mask[rows[start : start + step]].take(columns, axis=1)


def _is_interval(numbers: Numbers) -> bool:
    return bool(numbers[-1] - numbers[0] + 1 == len(numbers))


def _between(mask: Mask, row_label: Numbers, column_label: Numbers) -> Edges:
    """Return weights between components: one of every row and one of every column that has any."""
    of_rows, of_columns = row_label.astype(np.int32), column_label.astype(np.int32)
    rows: list[Numbers] = []
    columns: list[Numbers] = []
    seen = np.zeros(mask.shape[1], np.bool_)
    step = max(CHUNK_BYTES // max(mask.shape[1], 1), 1)
    for start in range(0, mask.shape[0], step):
        crossing = mask[start : start + step] & (of_rows[start : start + step, None] != of_columns)
        hit = np.flatnonzero(crossing.any(axis=1))
        fresh = np.flatnonzero(crossing.any(axis=0) & ~seen)
        seen[fresh] = True
        rows += [hit + start, crossing[:, fresh].argmax(axis=0) + start]
        columns += [crossing[hit].argmax(axis=1), fresh]
    return np.concatenate(rows), np.concatenate(columns)
