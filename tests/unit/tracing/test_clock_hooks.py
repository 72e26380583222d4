"""Reads of clocks by the program, and what lies between them."""

from __future__ import annotations

import time
import timeit
from collections.abc import Callable
from time import perf_counter
from typing import Any

import mlx.core as mx
import pytest

from placement_cli.tracing.block import tracing
from placement_cli.tracing.clock_hooks import CLOCKS
from placement_cli.tracing.raw import RawInterval, RawProcess

Traced = Callable[[Callable[[], Any]], RawProcess]


def only(process: RawProcess) -> RawInterval:
    """Return the one pair of reads that was seen."""
    (interval,) = process.intervals
    return interval


@pytest.mark.parametrize("name", CLOCKS)
def test_clocks_tell_what_they_told(name: str) -> None:
    """Numbers of the same kind that go on, under the same name."""
    clock = getattr(time, name)
    before = clock()
    with tracing():
        hooked = getattr(time, name)
        inside = hooked()
        assert (hooked.__name__, hooked.__module__, hooked.__wrapped__) == (name, "time", clock)
    assert type(inside) is type(before)
    assert before <= inside <= clock()
    assert getattr(time, name) is clock


def test_work_timed_without_a_wait_is_seen(traced: Traced) -> None:
    """With the wait that came too late."""

    def program() -> None:
        start = time.perf_counter()
        product = mx.zeros((8, 8)) @ mx.zeros((8, 8))
        took = time.perf_counter() - start
        mx.eval(product)
        assert took >= 0

    interval = only(traced(program))
    first = program.__code__.co_firstlineno
    assert (interval.place.line - first, interval.until_line - first, interval.clock) == (1, 3, "perf_counter")
    assert (interval.count, interval.ops, interval.waits, interval.unfinished) == (1, 3, 0, 1)
    assert interval.then is not None
    assert interval.then.line - first == 4


def test_a_clock_taken_by_name_is_seen_too(traced: Traced) -> None:
    """`from time import perf_counter` came before."""

    def program() -> None:
        perf_counter()
        mx.eval(mx.zeros(2) + 1)
        perf_counter()

    interval = only(traced(program))
    assert (interval.waits, interval.unfinished) == (1, 0)


def test_random_input_made_inside_is_listed(traced: Traced) -> None:
    """A generator whose result depends on another array makes no input."""

    def program() -> None:
        time.monotonic()
        mx.eval(mx.random.normal((4,)))
        mx.eval(mx.random.bernoulli(mx.zeros(4)))
        time.monotonic()

    interval = only(traced(program))
    assert interval.generated == (program.__code__.co_firstlineno + 2,)
    assert (interval.generated_calls, interval.clock) == (1, "monotonic")


def test_input_still_lazy_at_the_first_read_is_seen(traced: Traced) -> None:
    """It is computed inside the measurement."""

    def program() -> None:
        drawn = mx.random.uniform(shape=(4,))
        time.perf_counter()
        mx.eval(drawn * 2)
        time.perf_counter()

    interval = only(traced(program))
    assert (interval.lazy_before, interval.lazy_line) == (1, program.__code__.co_firstlineno + 1)


def test_timeit_reads_the_clock_for_the_program(traced: Traced) -> None:
    """What it repeats belongs to the line that called it."""

    def program() -> None:
        timeit.timeit(lambda: mx.zeros(2) + 1, number=3, timer=time.perf_counter)

    interval = only(traced(program))
    assert interval.place.through == "timeit"
    assert (interval.place.function.endswith("program"), interval.unfinished) == (True, 1)


def test_clocks_read_by_others_are_no_measurement(traced: Traced) -> None:
    """The standard library waits and schedules by them."""

    def program() -> None:
        import queue

        with pytest.raises(queue.Empty):
            queue.Queue().get(timeout=0.001)

    assert traced(program).intervals == ()
