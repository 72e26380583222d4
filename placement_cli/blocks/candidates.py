"""Every plan worth comparing for one structure and one length of chunk."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.blocks.channels import Channels
from placement_cli.blocks.formulation import Kind
from placement_cli.blocks.layouts import Layout, layouts, tile_units, tiling_layouts
from placement_cli.blocks.merging import cheapest, separate
from placement_cli.blocks.plan import BlockPlan, Run, Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from placement_cli.blocks.extents import Extents
    from placement_cli.blocks.pricing import PartPrice
    from placement_cli.blocks.structure import Crossing, Pattern, Structure

LOOPS = frozenset({Kind.LOOP})
PORTABLE = frozenset({Kind.LOOP, Kind.BATCH, Kind.ELEMENTWISE, Kind.SHARED_SUM})
"""What both backends can compute; MLX has gather_mm and block_masked_mm beside."""
TILES = (32, 64)
"""Sides of a tile that `mx.block_masked_mm` takes."""


def dense_plan(structure: Structure) -> BlockPlan:
    """Return the product with the whole matrix."""
    run = Run(Kind.DENSE, 0, structure.n_in, 0, structure.n_out)
    return BlockPlan(structure.n_in, structure.n_out, (Section((run,)),))


def candidates(structure: Structure, price: PartPrice, *, on_mlx: bool) -> Iterator[BlockPlan]:
    """Yield the dense plan, then for every layout the cheapest mix of all kinds and the cheapest loop."""
    yield dense_plan(structure)
    kinds = PORTABLE | {Kind.GATHER_MM} if on_mlx else PORTABLE
    for pattern, beside in _patterns(structure):
        for layout in layouts(pattern):
            mixed = _sections(layout, price, kinds)
            loops = mixed
            if any(run.kind is not Kind.LOOP for section in mixed for run in section.runs):
                loops = _sections(layout, price, LOOPS)
            for sections in dict.fromkeys((mixed, loops)):
                if not _is_whole(sections, structure):
                    yield _described(structure, (*sections, *beside))
    if on_mlx:
        yield from _masked(structure)


def tiling_candidates(structure: Structure, price: PartPrice) -> Iterator[BlockPlan]:
    """Yield the dense plan and the cheapest loop of every layout that other executors can run."""
    yield dense_plan(structure)
    for layout in tiling_layouts(structure.pattern):
        sections = _sections(layout, price, LOOPS)
        if not _is_whole(sections, structure):
            yield _described(structure, sections)


def _is_whole(sections: tuple[Section, ...], structure: Structure) -> bool:
    """Whether everything was merged into the whole matrix, which is the dense product once more."""
    return sections == (Section((Run(Kind.LOOP, 0, structure.n_in, 0, structure.n_out),)),)


def finest_plan(structure: Structure) -> BlockPlan | None:
    """Return every block by itself: contiguous tiles, or components where these are finer; None without any."""
    pattern = structure.pattern
    if 1 < len(pattern.tiles) >= len(pattern.components):
        return _described(structure, (Section(separate(tile_units(pattern))),))
    for layout in list(tiling_layouts(pattern))[-1:]:
        sections = [Section(separate(p.units), p.in_index, p.out_index) for p in layout]
        return _described(structure, sections)
    return None


def _sections(layout: Layout, price: PartPrice, kinds: frozenset[Kind]) -> tuple[Section, ...]:
    return tuple(Section(cheapest(piece.units, price, kinds), piece.in_index, piece.out_index) for piece in layout)


def _patterns(structure: Structure) -> Iterator[tuple[Pattern, tuple[Section, ...]]]:
    """Yield the pattern, and what is left of it without rows and columns that cross it, with these beside."""
    yield structure.pattern, ()
    if structure.crossing:
        yield structure.crossing.rest, tuple(_thin(structure, structure.crossing))


def _thin(structure: Structure, crossing: Crossing) -> Iterator[Section]:
    """Yield columns first: rows add to every output, so each must have been written."""
    if crossing.columns:
        start, index = _slice_or_index(crossing.columns)
        run = Run(Kind.THIN, 0, structure.n_in, start, len(crossing.columns))
        yield Section((run,), out_index=index)
    if crossing.rows:
        start, index = _slice_or_index(crossing.rows)
        run = Run(Kind.THIN, start, len(crossing.rows), 0, structure.n_out)
        yield Section((run,), in_index=index, accumulates=True)


def _slice_or_index(channels: tuple[int, ...]) -> tuple[int, Channels | None]:
    if channels[-1] - channels[0] + 1 == len(channels):
        return channels[0], None
    return 0, Channels(channels)


def _masked(structure: Structure) -> Iterator[BlockPlan]:
    for tile in TILES:
        count = _reached_tiles(structure.pattern.extents, tile)
        if 0 < count < -(-structure.n_in // tile) * -(-structure.n_out // tile):
            run = Run(Kind.MASKED_MM, 0, structure.n_in, 0, structure.n_out, count, tile=tile)
            yield _described(structure, (Section((run,)),))


def _reached_tiles(extents: Extents, tile: int) -> int:
    """Return how many tiles lie between the first and the last nonzero of every strip of columns."""
    n_rows, n_columns = extents.shape
    if n_rows == 0 or n_columns == 0:
        return 0
    starts = np.arange(0, n_columns, tile)
    first = np.where(extents.first_row >= 0, extents.first_row, n_rows)
    low = np.minimum.reduceat(first, starts)
    high = np.maximum.reduceat(extents.last_row, starts)
    used = high >= 0
    return int((high[used] // tile - low[used] // tile + 1).sum())


def _described(structure: Structure, sections: Sequence[Section]) -> BlockPlan:
    plan = BlockPlan(
        structure.n_in,
        structure.n_out,
        tuple(section for section in sections if section.runs),
        structure.tolerance,
    )
    return replace(plan, notes=tuple(_notes(structure, plan)))


def _notes(structure: Structure, plan: BlockPlan) -> Iterator[str]:
    parts = plan.formulation.parts
    kinds = {part.kind for part in parts}
    touched = sum(part.shape.weights * part.count for part in parts)
    if touched < structure.n_in * structure.n_out or Kind.MASKED_MM in kinds:
        yield (
            "NaN or infinity in an input reaches the outputs of its own blocks alone; the dense product spreads "
            "it to every output."
        )
    if Kind.SHARED_SUM in kinds:
        yield "An infinite input can give NaN where the dense product gives infinity: sums are taken apart."
    if structure.dropped:
        yield (
            f"Weights up to {structure.threshold:.3g} outside the blocks are dropped: no output moves by more "
            f"than {structure.error_bound:.3g} times the largest magnitude of an input."
        )
