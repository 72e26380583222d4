"""A program that starts a thread for each message leaves a record of a few threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import mlx.core as mx

from placement_cli.tracing.raw import RawProcess
from placement_cli.tracing.threads import ALIKE_AT_MOST, STATES_AT_MOST, STRIDES, ThreadState, ended_of

Traced = Callable[[Callable[[], Any]], RawProcess]


def in_thread(work: Callable[[], Any], name: str | None = None) -> None:
    """Do work in a thread of its own, to its end."""
    thread = threading.Thread(target=work, name=name)
    thread.start()
    thread.join()


def handle() -> None:
    """Answer one message."""
    mx.eval(mx.tanh(mx.ones(3)) * 2)


def test_threads_that_are_alike_go_on_with_the_sums_of_those_before(traced: Traced) -> None:
    """No call is lost, and of operations no more than a sample leaves out."""

    def main() -> None:
        for _ in range(40):
            in_thread(handle)

    process = traced(main)
    assert len({point.thread for point in process.points}) <= ALIKE_AT_MOST
    assert sum(point.count for point in process.points) == 40
    assert 120 - max(STRIDES) < sum(build.ops for build in process.builds) <= 120


def test_threads_with_names_of_their_own_are_bounded_too(traced: Traced) -> None:
    """However they are called."""

    def main() -> None:
        for number in range(STATES_AT_MOST + 30):
            in_thread(handle, "".join(chr(97 + int(digit)) for digit in str(number)))

    process = traced(main)
    assert len({point.thread for point in process.points}) <= STATES_AT_MOST
    assert sum(point.count for point in process.points) == STATES_AT_MOST + 30


def test_threads_that_run_at_the_same_time_are_told_apart(traced: Traced) -> None:
    """A state belongs to one thread as long as that is there."""
    go_on = threading.Event()

    def wait() -> None:
        handle()
        go_on.wait()

    def main() -> None:
        threads = [threading.Thread(target=wait) for _ in range(2 * ALIKE_AT_MOST)]
        for thread in threads:
            thread.start()
        go_on.set()
        for thread in threads:
            thread.join()

    process = traced(main)
    assert sum(point.count for point in process.points) == 2 * ALIKE_AT_MOST


def test_a_thread_that_begins_anew_has_nothing_to_catch_up_with() -> None:
    """What the one before it left open is no work of this one."""
    state = ThreadState("Thread-1 (handle)", 1, 0)
    state.ops, state.window_left, state.tracing = 100, 50, 1
    state.streams.enter("Stream(cpu, 1)")
    state.taken_over(2, 1000)
    assert (state.ops - state.ops_at_point, state.window_left, state.tracing, state.after) == (0, 0, 0, {})
    assert state.streams.current() == ""


def test_a_state_is_taken_over_only_from_a_thread_that_has_ended() -> None:
    """Those of which it is not known are taken to be there."""
    states = [ThreadState(f"Thread-{number} (handle)", number, 0) for number in range(STATES_AT_MOST)]
    assert ended_of(states, "Thread-99 (handle)") is None
