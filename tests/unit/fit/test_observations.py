"""Measured times of several formulations of one product."""

from __future__ import annotations

import pytest

from placement_cli.blocks.formulation import BlockShape, Formulation, dense
from placement_cli.fit.observations import Configuration, Recording, Timing

GATHER = Timing("gather", Formulation(8, 8, (), gathered_in=8, gathers=1), 1e-6)
DENSE = Timing("dense", dense(8, 8), 2e-6)


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), float("inf")])
def test_times_are_finite_and_above_zero(bad: float) -> None:
    """A time that cannot have been measured is refused, as is such a half."""
    with pytest.raises(ValueError, match="dense"):
        Timing("dense", dense(8, 8), bad)
    with pytest.raises(ValueError, match="dense"):
        Timing("dense", dense(8, 8), 1.0, (1.0, bad))


def test_a_bare_gather_is_no_candidate() -> None:
    """Only what computes the product can be chosen."""
    entry = Configuration(4, ((BlockShape(4, 4), 2),), (GATHER, DENSE))

    assert entry.candidates == (DENSE,)
    assert entry.channels == 8


@pytest.mark.parametrize(
    ("blocks", "rows"),
    [
        (((BlockShape(4, 4), 2),), 4),
        (((BlockShape(4, 4), 1), (BlockShape(4, 4), 1)), 4),
        (((BlockShape(4, 4), 1), (BlockShape(2, 4), 2)), 0),
    ],
)
def test_block_rows_are_those_of_equal_blocks(blocks: tuple[tuple[BlockShape, int], ...], rows: int) -> None:
    """Blocks of one shape have rows in common, irregular ones count as 0."""
    assert Configuration(4, blocks, (DENSE,)).block_rows == rows


def test_a_recording_is_split_by_its_own_words() -> None:
    """Configurations are picked by how they were marked."""
    one, two = (Configuration(4, (), (DENSE,), word) for word in ("calibration", "test"))

    assert Recording("numpy", 1, (one, two)).split("test") == (two,)
