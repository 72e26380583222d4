"""Streams of real programs: which synchronize left one at work before a clock was read."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import mlx.core as mx
import pytest

from placement_cli.tracing.block import tracing
from placement_cli.tracing.raw import RawProcess

Traced = Callable[[Callable[[], Any]], RawProcess]


@pytest.fixture
def streams() -> list[mx.Stream]:
    """Two streams beside the default one."""
    return [mx.new_stream(mx.cpu) for _ in range(2)]


def submit_on(stream: mx.Stream, *, named: bool = False) -> None:
    """Submit work to a stream, by entering it or by naming it."""
    if named:
        mx.async_eval(mx.add(mx.zeros(4, stream=stream), 1, stream=stream))
    else:
        with mx.stream(stream):
            mx.async_eval(mx.zeros(4) + 1)


@pytest.mark.parametrize("named", [False, True])
def test_the_wrong_stream_synchronized_before_a_clock_is_a_miss(
    traced: Traced, streams: list[mx.Stream], named: bool
) -> None:
    """Whether work got there through `with mx.stream(...)` or through `stream=`."""

    def program() -> None:
        mx.eval(mx.zeros(1) + 1)
        time.perf_counter()
        submit_on(streams[0], named=named)
        mx.synchronize()
        time.perf_counter()

    (miss,) = traced(program).misses
    assert (miss.uncovered, miss.count) == (str(streams[0]), 1)
    assert miss.synchronized == str(mx.default_stream(mx.default_device()))
    assert miss.place.function.endswith("program")


def test_synchronizing_each_stream_covers_them(traced: Traced, streams: list[mx.Stream]) -> None:
    """One after another, then the clock."""

    def program() -> None:
        for stream in streams:
            submit_on(stream)
        for stream in streams:
            mx.synchronize(stream)
        time.perf_counter()

    process = traced(program)
    assert process.misses == ()
    assert [(point.kind, point.count) for point in process.points] == [("async_eval", 2), ("synchronize", 2)]


def test_waiting_for_the_values_covers_any_stream(traced: Traced, streams: list[mx.Stream]) -> None:
    """`mx.eval` knows where its arrays come from."""

    def program() -> None:
        submit_on(streams[0])
        mx.synchronize()
        mx.eval(mx.zeros(1) + 1)
        time.perf_counter()

    assert traced(program).misses == ()


def test_a_device_stands_for_its_default_stream(traced: Traced) -> None:
    """`with mx.stream(mx.cpu)` and `mx.synchronize()` mean the same one."""

    def program() -> None:
        mx.zeros(1) + 1
        with mx.stream(mx.cpu):
            mx.async_eval(mx.zeros(4) + 1)
        mx.synchronize()
        time.perf_counter()

    assert traced(program).misses == ()


def test_points_know_the_stream_they_are_in(traced: Traced, streams: list[mx.Stream]) -> None:
    """Entered streams nest, and are left when an exception leaves them."""

    def program() -> None:
        with mx.stream(streams[0]):
            with mx.stream(streams[1]):
                mx.eval(mx.zeros(1) + 1)
            mx.eval(mx.zeros(1) + 1)
            with pytest.raises(KeyError), mx.stream(streams[1]):
                raise KeyError
            mx.eval(mx.zeros(1) + 1)
        mx.eval(mx.zeros(1) + 1)

    found = [point.stream for point in traced(program).points]
    default = str(mx.default_stream(mx.default_device()))
    assert found == [str(streams[1]), str(streams[0]), str(streams[0]), default]


def test_contexts_give_what_they_gave() -> None:
    """Entering returns the stream, and the default stream is the one entered inside."""
    stream = mx.new_stream(mx.cpu)

    def entered() -> tuple[str, str, str]:
        with mx.stream(stream) as inside:
            within = str(mx.default_stream(mx.cpu))
        return str(inside), within, str(mx.default_stream(mx.cpu))

    before = entered()
    with tracing():
        assert entered() == before
    with tracing(), pytest.raises(TypeError):
        mx.stream("nowhere")


def test_watching_makes_no_stream(traced: Traced) -> None:
    """Streams that the program makes in its threads have the numbers that they have without it."""
    done = mx.zeros(3)
    mx.eval(done)

    def numbers() -> list[int]:
        found: list[int] = []

        def work() -> None:
            mx.eval(done)
            found.append(int(str(mx.new_stream(mx.cpu)).rpartition(" ")[2].rstrip(")")))

        for _ in range(3):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        return [after - found[0] for after in found]

    before = numbers()
    seen: list[list[int]] = []
    traced(lambda: seen.append(numbers()))
    assert seen == [before]
