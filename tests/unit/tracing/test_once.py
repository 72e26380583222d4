"""What happens once is counted once: a wait that makes up for many reads, and a look after an evaluation."""

from __future__ import annotations

import sys

import mlx.core as mx

from placement_cli.tracing.clocks import Clocks, Counters
from placement_cli.tracing.looks import Looks
from placement_cli.tracing.raw import Place
from placement_cli.tracing.streams import DEFAULT, Streams

KNOWN = [Place("a.py", line, "main") for line in range(20)]
CALL, TIMER = 1, 7
SLOW = "Stream(Device(cpu, 0), 2)"


def counters(at: int, ops: int, waits: int = 0) -> Counters:
    """Return what a thread has done."""
    return Counters(at, ops, 0, waits)


def test_one_wait_makes_up_for_many_pairs() -> None:
    """A loop of trials that is waited for at its end missed that wait, not a multiple of it."""
    clocks = Clocks()
    for trial in range(20):
        clocks.read(CALL, 1, "perf_counter", counters(10 * trial, trial))
        clocks.read(CALL, 2, "perf_counter", counters(10 * trial + 5, trial + 1))
    clocks.waited(9, 1000)
    pairs = {(each.place.line, each.until_line): each for each in clocks.raw(KNOWN, "")}
    assert pairs[1, 2].unfinished == 20
    assert pairs[1, 2].then_blocked_s == 1000e-9


def test_one_wait_makes_up_for_a_stream_that_was_missed_often() -> None:
    """It tells how long that was at work."""
    streams = Streams()
    for _ in range(20):
        streams.enter(SLOW)
        streams.submit()
        streams.leave()
        streams.synchronize(3, DEFAULT, 1)
        streams.commit()
    streams.waited(9, 1000)
    (miss,) = streams.raw(KNOWN, "", "")
    assert (miss.count, miss.then_blocked_s) == (20, 1000e-9)


def test_what_is_written_meanwhile_decides_nothing() -> None:
    """The next synchronize may cover the other stream."""
    streams = Streams()
    streams.enter(SLOW)
    streams.submit()
    streams.leave()
    streams.synchronize(3, DEFAULT, 1)
    assert streams.raw(KNOWN, "", "", ended=False) == []
    streams.synchronize(4, SLOW, 1)
    assert streams.raw(KNOWN, "", "") == []


def test_work_on_a_named_stream_leaves_the_current_one_idle() -> None:
    """To wait for the named one alone is right."""
    streams = Streams()
    streams.use(SLOW)
    streams.submit(here=False)
    streams.synchronize(3, SLOW, 1)
    streams.commit()
    assert streams.raw(KNOWN, "", "") == []


def test_two_methods_of_a_class_are_a_pair() -> None:
    """Calls of a timer come and go, nested or not; each begins anew."""
    clocks = Clocks()
    for trial in range(3):
        clocks.read(CALL, 1, "perf_counter", counters(100 * trial, trial), TIMER)
        clocks.read(CALL + 1, 1, "perf_counter", counters(100 * trial + 10, trial), TIMER)
        clocks.read(CALL + 2, 2, "perf_counter", counters(100 * trial + 30, trial), TIMER)
        clocks.read(CALL + 3, 2, "perf_counter", counters(100 * trial + 60, trial), TIMER)
        clocks.frames.clear()
    pairs = {(each.place.line, each.until_line): each for each in clocks.raw(KNOWN, "")}
    assert pairs[1, 2].count >= 3
    assert pairs[1, 2].elapsed_s >= 60e-9


def test_another_call_by_the_same_frame_is_no_pair() -> None:
    """What reads a clock twice for a line of the program, such as timeit, begins anew further up in its code."""
    clocks = Clocks()
    for trial in range(3):
        clocks.read(CALL, 1, "perf_counter", counters(100 * trial, trial), 0, 4)
        clocks.read(CALL, 1, "perf_counter", counters(100 * trial + 10, trial), 0, 8)
    (pair,) = clocks.raw(KNOWN, "")
    assert (pair.count, pair.elapsed_s) == (3, 30e-9)


def test_looks_right_after_evaluations_are_counted_until_one_reaches_the_variable(looks: Looks) -> None:
    """Those at other moments show what is under way."""
    state = mx.zeros(2)
    for moment, after in enumerate((True, False, True), 1):
        for _ in range(100 * moment):
            state = mx.sin(state)
        looks.look(sys._getframe(), float(moment), moment, {}, after=after)
    ((found,), _) = looks.raw([])
    assert found.after == 2
    assert looks.suspects() == 1
    mx.eval(state)
    looks.look(sys._getframe(), 9.0, 9, {}, after=True)
    ((found,), _) = looks.raw([])
    assert found.after == 0
    assert looks.suspects() == 0
