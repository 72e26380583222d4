"""Products drawn at random."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.blocks.drawing import SHARES, Drawn, Layout, Ranges, draw
from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.structure import Arrangement, Structure

SEEDS = st.integers(0, 2**31)


def ends(low: int, high: int) -> st.SearchStrategy[tuple[int, int]]:
    """Ranges of whole numbers, both ends included."""
    return st.tuples(st.integers(low, high), st.integers(low, high)).map(lambda pair: (min(pair), max(pair)))


RANGES = st.builds(Ranges, ends(16, 4096), ends(1, 10_000), ends(1, 8), st.floats(1, 1e12))


@given(SEEDS, st.integers(0, 40), st.integers(0, 40))
@settings(deadline=None, max_examples=30)
def test_a_longer_drawing_begins_alike(seed: int, number: int, more: int) -> None:
    """The same seed draws the same products, however many are asked for."""
    short = draw(number, seed)
    assert len(short) == number
    assert draw(number + more, seed)[:number] == short


@given(SEEDS, RANGES)
@settings(deadline=None, max_examples=50)
def test_what_is_drawn_keeps_to_its_ranges(seed: int, ranges: Ranges) -> None:
    """Channels and blocks lie in theirs, and samples too but where the product would be too large."""
    for drawn in draw(8, seed, ranges):
        assert ranges.channels[0] <= drawn.channels <= ranges.channels[1]
        assert ranges.block[0] <= drawn.block <= ranges.block[1]
        assert drawn.samples == 1 or drawn.samples * drawn.channels**2 <= ranges.most_macs
        assert 1 <= drawn.samples <= ranges.samples[1]
        if ranges.samples[1] * drawn.channels**2 <= ranges.most_macs:
            assert ranges.samples[0] <= drawn.samples


def test_blocks_leave_room_for_two() -> None:
    """One block alone would be the dense product."""
    assert all(2 * drawn.block <= drawn.channels for drawn in draw(128, 3))


def test_layouts_are_drawn_by_their_shares() -> None:
    """A drawing covers them evenly."""
    counts = Counter(drawn.layout for drawn in draw(256, 1))
    assert sum(SHARES.values()) == pytest.approx(1.0)
    assert all(abs(counts[layout] / 256 - share) < 0.02 for layout, share in SHARES.items())


def is_as_named(layout: Layout, structure: Structure, block: int) -> bool:
    """Tell whether what is found is what the layout names."""
    arrangement, shapes = structure.arrangement, structure.pattern.block_shapes
    match layout:
        case Layout.UNIFORM:
            return arrangement is Arrangement.CONTIGUOUS and set(shapes) == {(block, block)}
        case Layout.IRREGULAR:
            return arrangement is Arrangement.CONTIGUOUS and len(shapes) > 1
        case Layout.MIXED:
            return arrangement is Arrangement.CONTIGUOUS and shapes[block, block] >= 2 and len(shapes) > 1
        case Layout.SHUFFLED:
            return arrangement is Arrangement.PERMUTED and set(shapes) == {(block, block)}
        case Layout.UNUSED:
            unused = structure.unused_inputs, structure.unused_outputs
            return min(unused) > 0 and set(shapes) == {(block, block)}
        case Layout.CROSSED:
            return structure.crossing is not None and len(structure.crossing.columns) > 0
        case Layout.BAND:
            return arrangement is Arrangement.BAND
        case Layout.DIAGONAL:
            return arrangement is Arrangement.DIAGONAL


@pytest.mark.parametrize("layout", Layout)
@given(SEEDS)
@settings(deadline=None, max_examples=10)
def test_every_layout_has_the_structure_it_names(layout: Layout, seed: int) -> None:
    """The weights, float32 and the same every time, are found to be laid out so, no block taller than drawn."""
    drawn = Drawn(layout, 96, 12, 10, seed)
    weights = drawn.weights()
    structure = find_structure(weights)
    assert weights.dtype == np.float32
    np.testing.assert_array_equal(weights, drawn.weights())
    assert is_as_named(layout, structure, 12)
    whole = structure.crossing.rest if structure.crossing else structure.pattern
    assert layout is Layout.BAND or max(rows for rows, _ in whole.block_shapes) <= 12
