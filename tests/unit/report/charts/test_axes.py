"""Axes: round ticks, few of them, all within their bounds."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.report.charts.axes import (
    MOST_TICKS,
    binary_ticks,
    decimal_ticks,
    drawable,
    ratio_axis,
    ratio_ticks,
    size_ticks,
)

POSITIVE = st.floats(1e-23, 1e23)


@settings(deadline=None)
@given(st.lists(POSITIVE, min_size=1))
def test_ticks_are_few_rise_and_lie_within(values: list[float]) -> None:
    """Whatever the range, for ratios, durations and sizes."""
    for low, high, ticks in (
        (ratio_axis(values).low, ratio_axis(values).high, ratio_axis(values).ticks),
        (min(values), max(values), decimal_ticks(min(values), max(values))),
        (min(values), max(values), binary_ticks(min(values), max(values))),
    ):
        assert len(ticks) <= MOST_TICKS + 1
        assert all(low * 0.999 <= tick <= high * 1.001 for tick in ticks)
        assert all(one < other for one, other in pairwise(ticks)) or low == high


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.965, 1.035, (0.97, 0.98, 0.99, 1.0, 1.01, 1.02, 1.03)),
        (0.85, 2.25, (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2)),
        (0.38, 1.1, (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)),
        (0.12, 10.0, (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)),
    ],
)
def test_ratios_are_labelled_around_one(low: float, high: float, ticks: tuple[float, ...]) -> None:
    """Percents where all is near 1, powers of two where little is."""
    assert ratio_ticks(low, high) == pytest.approx(ticks)


@settings(deadline=None)
@given(st.floats(0, 1e15))
def test_sizes_are_a_power_of_two_apart(most: float) -> None:
    """From zero on, at most six."""
    ticks = size_ticks(most)
    assert ticks[0] == 0
    assert len(ticks) <= 6
    assert all(math.log2(other - one).is_integer() for one, other in pairwise(ticks))


def test_only_what_can_stand_on_a_logarithmic_axis_is_drawn() -> None:
    """Zero, what is below it, what is absurd and what is not there are not."""
    assert drawable([0.0, -1.0, None, 1e300, 1e-300, 2.0]) == [2.0]
