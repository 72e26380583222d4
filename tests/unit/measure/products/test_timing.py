"""The timed part, in fake time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.measure.products import timing
from placement_cli.measure.products.backends import open_backend
from placement_cli.measure.products.timing import (
    COPIES,
    MOST_CALLS,
    SAMPLE_S,
    TRIALS,
    Stream,
    calls_for,
    first_timing,
    round_seconds,
    take_round,
)


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


def test_a_sample_of_one_call_is_not_warmed(timed: Any, clock: Any) -> None:
    """A call that takes longer than a sample needs is made once a round, not twice."""
    backend = timed(clock)
    assert take_round(backend.product, [0.3], None, [1], [0], clock.now) == pytest.approx([0.3])
    assert backend.log == [(0.3, 1)]
    assert round_seconds([0.3, SAMPLE_S / 4]) == pytest.approx(0.3 + 1.25 * SAMPLE_S)


def test_rounds_take_copies_of_the_chunk_in_turn() -> None:
    """Each round has the next copy, equal in its values and elsewhere in memory."""
    backend = open_backend("numpy")
    chunk = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    stream = Stream.of(backend, chunk, "float32", seed=1)
    seen: list[Any] = []
    for _ in range(COPIES + 1):
        stream.take(backend, [seen.append], [1], [0], iter(range(100)).__next__)
    assert all(np.array_equal(x, chunk) for x in seen)
    addresses = [x.__array_interface__["data"][0] for x in seen]
    assert len(set(addresses)) == COPIES
    assert addresses[0] == addresses[COPIES]


def test_a_chunk_of_many_bytes_is_not_copied_beyond_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory stays bounded however long the chunk: one copy at least."""
    monkeypatch.setattr(timing, "MOST_COPIED_BYTES", 100)
    backend = open_backend("numpy")
    assert len(Stream.of(backend, np.zeros((10, 4), np.float32), "float32", 0).chunks) == 1
    assert len(Stream.of(backend, np.zeros((3, 4), np.float32), "float32", 0).chunks) == 2
