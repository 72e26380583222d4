"""What is added up for one evaluation point."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.tracing.point import FIRST_DURATIONS, RECEIVERS_AT_MOST, SIZES_AT_MOST, Point
from placement_cli.tracing.raw import EVALUATING_KINDS, WAITING_KINDS, Place, RawPoint

PLACE = Place("a.py", 1, "main")


def point_of(kind: str = "eval") -> Point:
    """Return a point that nothing has called yet, first seen a second after the origin 0."""
    return Point(0, kind, f"mx.{kind}", 0, "MainThread", "", 1_000_000_000)


def seen(point: Point, default: str = "") -> RawPoint:
    """Return what is written of a point."""
    return point.raw(PLACE, 0, default)


@pytest.mark.parametrize("kind", ["eval", "item", "async_eval", "synchronize", "memory"])
def test_a_kind_says_what_a_call_does(kind: str) -> None:
    """Whether it waits for what it is given, and whether it schedules that."""
    point = point_of(kind)
    assert (point.waits, point.evaluates) == (kind in WAITING_KINDS, kind in EVALUATING_KINDS)


@given(calls=st.integers(0, 5000))
@settings(deadline=None, max_examples=30)
def test_later_durations_are_an_even_sample(calls: int) -> None:
    """In their order, one in `stride` of all calls, and no more of them than of the first ones."""
    point = point_of()
    for number in range(calls):
        if not number % point.stride:
            point.sample(number)
    assert len(point.sampled) < FIRST_DURATIONS
    assert point.sampled == sorted(point.sampled)
    assert len({after - before for before, after in zip(point.sampled, point.sampled[1:], strict=False)}) <= 1


def test_what_was_counted_of_some_calls_is_extended_to_all() -> None:
    """A quarter of the calls that were looked into received nothing, and so did a quarter of all."""
    point = point_of()
    for arrays, size in ((2, 800), (2, 800), (0, 0), (1, 0)):
        point.received(arrays, size)
    point.count = 40
    found = seen(point)
    assert (found.arrays, found.bytes, found.empty_calls, found.zero_size_calls) == (2, 16_000, 10, 10)


def test_a_point_without_calls_is_all_zero() -> None:
    """As when the program ends inside the first one."""
    found = seen(point_of())
    assert (found.count, found.blocked_s, found.arrays, found.bytes, found.durations_s) == (0, 0.0, 0, 0, ())
    assert (found.first_at_s, found.last_at_s, found.host_busy) == (1.0, 1.0, 1.0)


def test_sizes_and_receivers_are_bounded() -> None:
    """Different sizes are counted up to a number, few receivers are described."""
    point = point_of()
    for size in range(1000):
        point.received(1, size)
        point.receivers_of((type(f"Kind{size}", (), {})(),), int)
    assert seen(point).sizes == SIZES_AT_MOST
    assert len(seen(point).receivers) == RECEIVERS_AT_MOST


def test_the_share_of_running_is_a_share() -> None:
    """Clocks of threads tick differently, but nothing is busier than always."""
    point = point_of()
    point.host_ran, point.host_timed = 3, 2
    assert seen(point).host_busy == 1.0
    point.host_timed = 6
    assert seen(point).host_busy == 0.5


def test_a_stream_that_was_not_known_is_that_of_the_thread() -> None:
    """It is made only when the program builds something."""
    point = point_of()
    assert seen(point, "Stream(Device(cpu, 0), 0)").stream == "Stream(Device(cpu, 0), 0)"
    point.stream = "another"
    assert seen(point, "Stream(Device(cpu, 0), 0)").stream == "another"
