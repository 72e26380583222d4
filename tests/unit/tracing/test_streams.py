"""Which streams have work, and whether a synchronize covers them."""

from __future__ import annotations

from placement_cli.tracing.raw import Place, RawMiss
from placement_cli.tracing.streams import DEFAULT, Streams

KNOWN = [Place("a.py", line, "main") for line in range(20)]
FAST, SLOW = "Stream(Device(cpu, 0), 1)", "Stream(Device(cpu, 0), 2)"
OWN = "Stream(Device(cpu, 0), 0)"


def submitted(*streams: str) -> Streams:
    """Return a thread that has submitted work to streams."""
    state = Streams()
    for stream in streams:
        state.enter(stream)
        state.submit()
        state.leave()
    return state


def misses(state: Streams) -> list[RawMiss]:
    """Return what is written of a thread."""
    return state.raw(KNOWN, "MainThread", OWN)


def test_the_wrong_stream_before_a_read_of_a_clock_is_a_miss() -> None:
    """The wait after it tells how long the other was still at work."""
    state = submitted(SLOW)
    state.synchronize(3, DEFAULT, 50)
    state.commit()
    state.waited(5, 700)
    assert misses(state) == [RawMiss(KNOWN[3], "MainThread", OWN, SLOW, 1, 50e-9, 700e-9, KNOWN[5])]


def test_the_end_of_the_program_counts_as_well() -> None:
    """Nothing waits after it."""
    state = submitted(SLOW)
    state.synchronize(3, FAST, 50)
    (miss,) = misses(state)
    assert (miss.synchronized, miss.uncovered, miss.then_blocked_s, miss.then) == (FAST, SLOW, 0.0, None)


def test_one_after_another_covers_them_all() -> None:
    """`for stream in streams: mx.synchronize(stream)` is right, in any order."""
    state = submitted(FAST, SLOW)
    state.synchronize(3, FAST, 5)
    state.synchronize(3, SLOW, 5)
    state.commit()
    assert misses(state) == []


def test_going_on_without_a_clock_is_no_miss() -> None:
    """More work, or a wait for the values themselves, makes up for it."""
    state = submitted(FAST, SLOW)
    state.synchronize(3, FAST, 5)
    state.submit()
    state.commit()
    assert misses(state) == []
    state.synchronize(4, FAST, 5)
    state.waited(5, 1)
    state.commit()
    assert misses(state) == []


def test_a_stream_named_by_an_operation_counts_when_that_is_submitted() -> None:
    """Building alone submits nothing."""
    state = Streams()
    state.use(SLOW)
    state.synchronize(3, DEFAULT, 5)
    state.commit()
    assert misses(state) == []
    state.submit()
    state.synchronize(4, DEFAULT, 5)
    state.commit()
    assert [miss.uncovered for miss in misses(state)] == [SLOW]


def test_contexts_nest() -> None:
    """Leaving one brings the one around it back; one exit too many is nothing."""
    state = Streams()
    state.enter(FAST)
    state.enter(SLOW)
    assert state.current() == SLOW
    state.leave()
    assert state.current() == FAST
    state.leave()
    state.leave()
    assert state.current() == DEFAULT


def test_the_same_miss_is_counted_once_a_place() -> None:
    """A loop has one finding, with its longest wait."""
    state = Streams()
    for blocked in (10, 30, 20):
        state.enter(SLOW)
        state.submit()
        state.leave()
        state.synchronize(3, DEFAULT, 1)
        state.commit()
        state.waited(blocked // 10, blocked)
    (miss,) = misses(state)
    assert (miss.count, miss.then_blocked_s, miss.then) == (3, 60e-9, KNOWN[3])
