"""What charts leave out and move: stretches, quantiles and labels."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.report.charts.drawing import spread_out
from placement_cli.report.charts.latencies import quantiles
from placement_cli.report.charts.samples import middles, peaks
from placement_cli.report.charts.throughput import rate_bounds

VALUES = st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=300)


@settings(deadline=None)
@given(VALUES, st.integers(1, 50))
def test_no_peak_is_lost(values: list[float], most: int) -> None:
    """Few points, each where it was, and the largest of all among them."""
    points, length = peaks(values, most)
    assert len(points) <= most
    assert length == 1 or len(values) > most
    assert all(values[place - 1] == value for place, value in points)
    assert max(value for _, value in points) == max(values)


@settings(deadline=None)
@given(VALUES, st.integers(2, 50))
def test_quantiles_are_values_that_were_seen(values: list[float], number: int) -> None:
    """As many as asked for, in order; all of them where there are fewer."""
    found = quantiles(values, number)
    assert len(found) == min(number, len(values))
    assert set(found) <= set(values)
    assert list(found) == sorted(found)


@settings(deadline=None)
@given(st.lists(st.floats(0, 240), max_size=12))
def test_labels_are_kept_apart_and_inside(heights: list[float]) -> None:
    """In the order of their points."""
    moved = spread_out(heights, 15, 240)
    ordered = sorted(moved)
    assert all(other - one >= 15 - 1e-6 for one, other in pairwise(ordered))
    assert all(place <= 240 - 7.5 + 1e-6 for place in moved)
    assert sorted(range(len(heights)), key=heights.__getitem__) == sorted(range(len(moved)), key=moved.__getitem__)


def test_the_middle_of_rows_of_different_lengths() -> None:
    """Each place over the rows that have it."""
    assert middles([[1.0, 5.0], [3.0], [2.0, 7.0, 9.0]]) == [2.0, 6.0, 9.0]
    assert middles([]) == []


def test_small_differences_stay_small() -> None:
    """The axis of throughput holds a fifth of the highest, and never less than nothing."""
    low, high = rate_bounds([100.0, 101.0])
    assert high - low >= 20
    assert rate_bounds([1.0, 1000.0])[0] == 0
