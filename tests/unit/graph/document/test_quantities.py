"""Durations and sizes are written short, and read back exactly."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.graph.document.quantities import duration_text, size_text
from placement_cli.units import MAX_SIZE, parse_duration, parse_size


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0 s"), (0.002, "2 ms"), (17e-6, "17 us"), (2.5, "2.5 s"), (3600.0, "3600 s"), (5e-10, "0.5 ns")],
)
def test_durations_are_written_in_the_unit_that_fits(seconds: float, text: str) -> None:
    """The number is 1 or more where there is such a unit."""
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (64, "64 B"),
        (33 << 20, "33 MiB"),
        (512_000_000, "512 MB"),
        (9_216_000, "9.216 MB"),
        (1 << 30, "1 GiB"),
        (123_456_789, "123456789 B"),
    ],
)
def test_sizes_are_written_in_the_largest_unit_that_stays_short(size: int, text: str) -> None:
    """Binary or decimal, as it comes out even."""
    assert size_text(size) == text


@settings(deadline=None)
@given(st.floats(0, 1e6))
def test_durations_read_back_exactly(seconds: float) -> None:
    """Every float does."""
    assert parse_duration(duration_text(seconds)) == seconds


@settings(deadline=None)
@given(st.integers(0, MAX_SIZE) | st.builds(lambda n, p: n << p, st.integers(0, 999), st.integers(0, 50)))
def test_sizes_read_back_exactly(size: int) -> None:
    """Every size does."""
    assert parse_size(size_text(size)) == size
