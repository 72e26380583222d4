"""What rounds say of each formulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from placement_cli.measure.products.times import disagreement, ratio_of, times_of

SECONDS = st.floats(1e-6, 1.0)
ROUNDS = st.tuples(st.integers(2, 12), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=SECONDS)
)


def test_equal_rounds_give_their_times_exactly() -> None:
    """Without noise every figure is the time itself, and six rounds have an interval."""
    times = times_of(np.tile([1e-3, 4e-3], (6, 1)))
    assert [each.seconds for each in times] == pytest.approx([1e-3, 4e-3])
    assert times[1].interval == pytest.approx((4e-3, 4e-3))
    assert disagreement(times) == pytest.approx(0)


def test_few_rounds_have_no_interval() -> None:
    """Fewer than six do not reach 95 %."""
    rounds = np.random.default_rng(0).uniform(1, 2, (5, 2))
    assert [each.interval for each in times_of(rounds)] == [None, None]
    assert ratio_of(rounds, 0, 1)[1] is None


@given(ROUNDS)
@settings(deadline=None)
def test_times_are_positive_and_within_their_interval(rounds: Any) -> None:
    """Whatever was timed, the figures are finite and the interval holds the middle."""
    for each in times_of(rounds):
        assert 0 < each.seconds < np.inf
        assert min(each.halves) > 0
        if each.interval:
            low, high = each.interval
            assert low * (1 - 1e-9) <= each.seconds <= high * (1 + 1e-9)


@given(ROUNDS.filter(lambda rounds: rounds.shape[1] > 1), st.data())
@settings(deadline=None)
def test_what_slows_whole_rounds_changes_no_comparison(rounds: Any, data: st.DataObject) -> None:
    """A machine that is slower for a while leaves every ratio and every half as they were."""
    speed = data.draw(arrays(np.float64, (len(rounds), 1), elements=st.floats(0.1, 10)))
    before, after = times_of(rounds), times_of(rounds * speed)
    assert after[0].seconds / before[0].seconds == pytest.approx(after[-1].seconds / before[-1].seconds)
    assert disagreement(after) == pytest.approx(disagreement(before), abs=1e-9)
    assert ratio_of(rounds * speed, 0, -1)[0] == pytest.approx(ratio_of(rounds, 0, -1)[0])


def test_a_ratio_is_new_over_base() -> None:
    """Twice as long is 2, with the interval of the rounds."""
    base = np.full(7, 1e-3)
    ratio, interval = ratio_of(np.column_stack([base, base * np.linspace(1.9, 2.1, 7)]), 0, 1)
    assert ratio == pytest.approx(2.0)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((1.9, 2.1))


def test_halves_that_differ_disagree() -> None:
    """One formulation that takes twice as long in odd rounds is told by the log of it."""
    rounds = np.ones((8, 2))
    rounds[1::2, 1] = 2.0
    assert disagreement(times_of(rounds)) == pytest.approx(np.log(2) / 2)


def test_a_formulation_alone_has_the_spread_of_its_rounds() -> None:
    """With nothing beside it its interval is not of no width, as it would be over itself."""
    rounds = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0]])
    (times,) = times_of(rounds)
    assert times.seconds == pytest.approx(4.0)
    assert times.interval is not None
    assert times.interval[0] < 4.0 < times.interval[1]
