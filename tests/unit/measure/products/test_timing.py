"""The timed part, in fake time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.measure.products.timing import MOST_CALLS, SAMPLE_S, TRIALS, calls_for, first_timing, take_round


@given(st.floats(0, 1e3))
@settings(deadline=None)
def test_a_sample_holds_enough_calls(seconds: float) -> None:
    """It lasts long enough, with no call more than that needs, unless that would be too many calls."""
    calls = calls_for(seconds)
    assert 1 <= calls <= MOST_CALLS
    assert calls == MOST_CALLS or calls * seconds >= SAMPLE_S * (1 - 1e-9)
    assert calls == 1 or (calls - 1) * seconds <= SAMPLE_S * (1 + 1e-9)


def test_the_first_call_is_not_timed(timed: Any, clock: Any) -> None:
    """What loads a kernel once does not count; the least of a few trials does."""
    backend = timed(clock, slower_first=1000.0)
    assert first_timing(backend.product, 0.01, None, clock.now) == pytest.approx(0.01)
    assert backend.log == [(0.01, 1)] * (1 + TRIALS)


def test_a_round_samples_in_order_after_an_untimed_call(timed: Any, clock: Any) -> None:
    """Each sample has its number of calls; seconds are those of one call, 0 for what the order leaves out."""
    backend = timed(clock)
    seconds = take_round(backend.product, [0.1, 0.2, 0.3], None, [5, 1, 2], [2, 0], clock.now)
    assert seconds == pytest.approx([0.1, 0.0, 0.3])
    assert backend.log == [(0.3, 1), (0.3, 2), (0.1, 1), (0.1, 5)]
