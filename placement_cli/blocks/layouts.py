"""The ways of laying out one structure as blocks: in place, over slices, after reordering, as slabs of a band."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.blocks.channels import Channels
from placement_cli.blocks.ordering import are_intervals, are_neighbours, column_spans, reordered, row_spans
from placement_cli.blocks.units import Units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from placement_cli.blocks.components import Components
    from placement_cli.blocks.extents import Extents, Mask, Numbers
    from placement_cli.blocks.structure import Pattern

FINE_SLABS = 4096
COARSE_SLABS = 128
"""A band is cut into up to so many groups of columns: the many where most are alike, else the few."""
SLAB_SHARE = 0.9
"""Slabs are tried when their columns reach over less than this share of what blocks would cover."""
SCATTERED = 2
"""Blocks that slices reach are also tried gathered when there are this many runs of equal ones a shape."""
MOST_SLICED = 256
"""Blocks in another order are only tried gathered when slices would take more runs than this."""


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Blocks in the order of their columns over the channels that the indices select (None: as they come)."""

    units: Units
    in_index: Channels | None = None
    out_index: Channels | None = None


Layout = tuple[Piece, ...]


def layouts(pattern: Pattern) -> Iterator[Layout]:
    """Yield the layouts worth pricing, none for a matrix that is one dense block.

    Blocks in place come first; of equal prices the earlier layout is taken.
    """
    tiles = tile_units(pattern)
    if len(tiles) > 1:
        yield (Piece(tiles),)
    blocks = pattern.components
    if len(blocks) == 0:
        yield (Piece(_no_units()),)
        return
    if len(blocks) > 1 or _has_unused(pattern) or any(pattern.shared_sums):
        yield from (layout for layout in _block_layouts(pattern) if not _is_in_place(layout, tiles))
    yield from _slab_layouts(pattern)


def _is_in_place(layout: Layout, tiles: Units) -> bool:
    """Whether the layout is that of the tiles, which has been tried."""
    piece = layout[0]
    indexed = piece.in_index is not None or piece.out_index is not None
    return len(layout) == 1 and len(tiles) > 1 and not indexed and piece.units.same_as(tiles)


def tiling_layouts(pattern: Pattern) -> Iterator[Layout]:
    """Yield the layouts of one piece whose blocks write every output once, in order, for other executors."""
    if len(pattern.tiles) > 1:
        yield (Piece(tile_units(pattern)),)
    blocks = pattern.components
    if len(blocks) <= 1:
        return
    neighbours = np.logical_and(*are_neighbours(pattern.extents, blocks))
    in_place = _gap_free(_slice_units(blocks, _flags(pattern)), pattern) if neighbours.all() else None
    if in_place is not None and _takes_few_slices(in_place):
        yield (Piece(in_place),)
    else:
        yield (_complete_piece(pattern),)


def tile_units(pattern: Pattern) -> Units:
    """Return the tiles of the finest contiguous tiling."""
    starts = [(rows.start, rows.stop, columns.start, columns.stop) for rows, columns in pattern.tiles]
    bounds = np.array(starts, np.intp).reshape(-1, 4).T
    same = len(starts) == len(pattern.components) and not _has_unused(pattern)
    return Units.of((bounds[0], bounds[1]), (bounds[2], bounds[3]), _flags(pattern) if same else None)


def _block_layouts(pattern: Pattern) -> Iterator[Layout]:
    """Yield blocks over slices or gathered: first with unused channels inside them, then without."""
    blocks, flags = pattern.components, _flags(pattern)
    neighbours, exact = are_neighbours(pattern.extents, blocks), are_intervals(blocks)
    yield from _sliced_or_gathered(blocks, flags, *neighbours)
    if any((a != b).any() for a, b in zip(neighbours, exact, strict=True)):
        yield from _sliced_or_gathered(blocks, flags, *exact)


def _sliced_or_gathered(blocks: Components, flags: Mask, row_slices: Mask, column_slices: Mask) -> Iterator[Layout]:
    slices = row_slices & column_slices
    if slices.all():
        yield from _sliced(blocks, flags)
        return
    yield (_gathered_piece(blocks, flags, row_slices, column_slices),)
    if slices.any():
        sliced, others = np.flatnonzero(slices), np.flatnonzero(~slices)
        rest, lying = reordered(blocks, others), reordered(blocks, sliced)
        gathered = _gathered_piece(rest, flags[others], row_slices[others], column_slices[others])
        if gathered.out_index is None:
            gathered = replace(gathered, units=gathered.units.walled(lying.columns))
        yield gathered, Piece(_slice_units(lying, flags[sliced]).walled(rest.columns))


def _sliced(blocks: Components, flags: Mask) -> Iterator[Layout]:
    """Yield blocks that slices reach, in place and, where that takes many runs, gathered."""
    units = _slice_units(blocks, flags)
    if _takes_few_slices(units):
        yield (Piece(units),)
    if units.count_runs() > SCATTERED * len(np.unique(units.shapes, axis=0)):
        if not _in_order(units):
            everything = np.ones(len(blocks), np.bool_)
            yield (_gathered_piece(blocks, flags, everything, everything),)
        yield (_packed_piece(blocks, flags),)


def _in_order(units: Units) -> bool:
    return bool((np.diff(units.row_start) > 0).all())


def _takes_few_slices(units: Units) -> bool:
    return _in_order(units) or units.count_runs() <= MOST_SLICED


def _slab_layouts(pattern: Pattern) -> Iterator[Layout]:
    blocks = pattern.components
    covered = int((blocks.n_rows * blocks.n_columns).sum())
    if pattern.reach < SLAB_SHARE * covered:
        fine = _slab_units(pattern.extents, FINE_SLABS)
        even = fine.count_runs() <= COARSE_SLABS
        yield (Piece(fine if even else _slab_units(pattern.extents, COARSE_SLABS)),)


def _flags(pattern: Pattern) -> Mask:
    return np.array(pattern.shared_sums, np.bool_)


def _has_unused(pattern: Pattern) -> bool:
    used = len(pattern.components.rows), len(pattern.components.columns)
    return used != pattern.extents.shape


def _no_units() -> Units:
    none = np.zeros(0, np.intp)
    return Units.of((none, none), (none, none))


def _slice_units(blocks: Components, flags: Mask) -> Units:
    """Return components whose rows and columns are neighbours as they lie, unused channels between included."""
    rows, columns = row_spans(blocks), column_spans(blocks)
    exact = (rows[1] - rows[0] == blocks.n_rows) & (columns[1] - columns[0] == blocks.n_columns)
    return Units.of(rows, columns, flags & exact)


def _gap_free(units: Units, pattern: Pattern) -> Units:
    """Return the same blocks with the columns between them taken in, so that every column is written."""
    n_columns = pattern.extents.shape[1]
    starts = units.column_start.copy()
    starts[0] = 0
    stops = np.append(starts[1:], n_columns)
    exact = (starts == units.column_start) & (stops == units.column_stop)
    return Units.of((units.row_start, units.row_stop), (starts, stops), units.shared_sum & exact)


def _gathered_piece(blocks: Components, flags: Mask, row_slices: Mask, column_slices: Mask) -> Piece:
    """Return components that must be gathered on at least one side; the other stays in place if it can."""
    if column_slices.all():
        ordered = np.argsort(blocks.columns[blocks.column_starts[:-1]], kind="stable")
        blocks = reordered(blocks, ordered)
        columns = column_spans(blocks)
        exact = columns[1] - columns[0] == blocks.n_columns
        units = Units.of(_packed(blocks.row_starts), columns, flags[ordered] & exact)
        return Piece(units, in_index=Channels(blocks.rows))
    if row_slices.all():
        rows = row_spans(blocks)
        exact = rows[1] - rows[0] == blocks.n_rows
        units = Units.of(rows, _packed(blocks.column_starts), flags & exact)
        return Piece(units, out_index=Channels(blocks.columns))
    return _packed_piece(blocks, flags)


def _packed_piece(blocks: Components, flags: Mask) -> Piece:
    """Return components gathered on both sides, those of one shape together."""
    order = np.lexsort((flags, blocks.n_columns, blocks.n_rows))
    blocks = reordered(blocks, order)
    units = Units.of(_packed(blocks.row_starts), _packed(blocks.column_starts), flags[order])
    return Piece(units, Channels(blocks.rows), Channels(blocks.columns))


def _packed(starts: Numbers) -> tuple[Numbers, Numbers]:
    return starts[:-1], starts[1:]


def _complete_piece(pattern: Pattern) -> Piece:
    """Return components in the order of their first input, outputs without weights with the smallest block.

    Inputs without weights are left out. Channels that need no reordering have no index.
    """
    blocks = pattern.components
    n_rows, n_columns = pattern.extents.shape
    unused = np.flatnonzero(pattern.extents.first_row < 0)
    if len(unused):
        order = np.argsort(-blocks.n_rows, kind="stable")
        blocks = reordered(blocks, order)
    columns = np.concatenate([blocks.columns, unused])
    column_starts = blocks.column_starts.copy()
    column_starts[-1] = n_columns
    units = Units.of(_packed(blocks.row_starts), _packed(column_starts))
    return Piece(units, _unless_in_order(blocks.rows, n_rows), _unless_in_order(columns, n_columns))


def _unless_in_order(channels: Numbers, count: int) -> Channels | None:
    in_order = len(channels) == count and (channels == np.arange(count)).all()
    return None if in_order else Channels(channels)


def _slab_units(extents: Extents, most: int) -> Units:
    """Return groups of neighbouring columns, each with the rows between its first and last nonzero."""
    n_columns = extents.shape[1]
    width = -(-n_columns // most)
    starts = np.arange(0, n_columns, width)
    first = np.where(extents.first_row >= 0, extents.first_row, extents.shape[0])
    low = np.minimum.reduceat(first, starts)
    high = np.maximum.reduceat(extents.last_row, starts) + 1
    used = high > 0
    stops = np.minimum(starts + width, n_columns)
    return Units.of((low[used], high[used]), (starts[used], stops[used]))
