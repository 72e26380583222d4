"""What hooks tell the recorder is added up by place, thread and order."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import mlx.core as mx
import pytest

from placement_cli.tracing.recorder import EVENTS_AT_MOST, Recorder, loop_runs
from placement_cli.tracing.threads import ThreadState
from placement_cli.tracing.writing import process_of

MS = 1_000_000


class Samples:
    """Stands for a sampler that took no samples."""

    samples: tuple[Any, ...] = ()
    spent_ns = 0


def call(recorder: Recorder, kind: str, start: int, took: int, ids: tuple[int, ...] = ()) -> None:
    """Tell of one call of a point at a line of this function."""
    state, frame = recorder.local.state, sys._getframe()
    point = recorder.point(state, kind, f"mx.{kind}", frame)
    recorder.called(state, point, recorder.origin + start, recorder.origin + start + took, ids, frame)


def written(recorder: Recorder) -> Any:
    """Return what is written of a process that has ended."""
    return process_of(recorder, Samples(), 0.0, lambda: (0.0, 0.0), ended=True)  # type: ignore[arg-type] # See there.


@pytest.fixture
def recorder() -> Recorder:
    """A recorder that knows MLX, with nothing recorded."""
    recorder = Recorder()
    recorder.found_mlx(mx)
    return recorder


def test_calls_at_a_place_are_one_point(recorder: Recorder) -> None:
    """With sums, extremes and the order of durations."""
    for number, took in enumerate((5, 9, 1)):
        call(recorder, "eval", number * 10 * MS, took * MS, (1,))
    (point,) = written(recorder).points
    assert (point.kind, point.call, point.count, point.thread) == ("eval", "mx.eval", 3, "MainThread")
    assert point.durations_s == (0.005, 0.009, 0.001)
    assert (point.first_s, point.longest_s, point.blocked_s) == (0.005, 0.009, 0.015)
    assert point.last_at_s == 0.02
    assert recorder.evaluations == 3


def test_steps_tell_what_follows_what(recorder: Recorder) -> None:
    """With what was built in between, and whether it was given the same array."""
    for number in range(3):
        recorder.local.state.ops += 4
        call(recorder, "eval", 2 * number, 1, (7, 8))
        call(recorder, "item", 2 * number + 1, 1, (8,))
    steps = {(each.before, each.after): each for each in written(recorder).steps}
    assert {pair: (each.count, each.ops, each.same) for pair, each in steps.items()} == {
        (0, 1): (3, 0, 3),
        (1, 0): (2, 8, 0),
    }


def test_events_are_the_first_calls(recorder: Recorder) -> None:
    """Those after them are counted."""
    recorder.room = 2
    for number in range(5):
        call(recorder, "eval", number, 1)
    process = written(recorder)
    assert (len(process.events), process.events_dropped) == (2, 3)
    assert Recorder().room == EVENTS_AT_MOST


def test_the_same_error_is_counted(recorder: Recorder) -> None:
    """Another message is another error."""
    point = recorder.point(recorder.local.state, "eval", "mx.eval", sys._getframe())
    for message in ("one", "one", "two"):
        recorder.failed(point, ValueError(message))
    found = {each.message: (each.type, each.count) for each in written(recorder).errors}
    assert found == {"one": ("ValueError", 2), "two": ("ValueError", 1)}
    assert point.failed == 3


def test_a_child_process_begins_anew(recorder: Recorder) -> None:
    """What the parent did is in the record of the parent."""
    call(recorder, "eval", 0, 1)
    recorder.compiled["step", 0] = ["step", 0, 5, 2]
    recorder.forked()
    process = written(recorder)
    assert (process.points, process.steps, process.events, process.errors) == ((), (), (), ())
    assert [(each.function, each.calls, each.traces) for each in process.compiled] == [("step", 0, 0)]
    assert not recorder.is_used()
    call(recorder, "eval", 0, 1)
    assert [point.count for point in written(recorder).points] == [1]


def test_a_fault_in_a_look_is_told_and_not_tried_at_once(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The call that was due for one goes on, and so does everything after it."""
    tried: list[int] = []

    def fail(*_: Any) -> bool:
        tried.append(1)
        raise ZeroDivisionError("in a look")

    monkeypatch.setattr(recorder.looks, "look", fail)
    monkeypatch.setattr(recorder.looks, "census", fail)
    for number in range(3):
        call(recorder, "eval", number, 1)
    recorder.last_look()
    process = written(recorder)
    assert process.points[0].count == 3
    assert len(tried) < 4
    assert any("ZeroDivisionError: in a look" in sentence for sentence in process.unseen)


def test_nothing_is_looked_at_while_mlx_traces(recorder: Recorder) -> None:
    """Variables hold tracers then, which are no arrays with values."""
    state = recorder.local.state
    state.tracing = 1
    for number in range(3):
        call(recorder, "eval", number, 1)
    assert recorder.looks_ns == 0
    state.tracing = 0
    call(recorder, "eval", 4, 1)
    assert recorder.looks_ns > 0


def test_a_thread_without_a_stream_gets_none_from_being_watched(recorder: Recorder) -> None:
    """MLX makes the default stream when it is asked for; the numbers of later streams would change."""
    state = recorder.local.state
    assert recorder.default_stream(state) == ""
    state.ops = state.named = 3
    assert recorder.default_stream(state) == ""
    state.ops = 4
    assert recorder.default_stream(state) == state.default == str(mx.default_stream(mx.default_device()))


def test_pending_operations_are_those_since_the_last_evaluation(recorder: Recorder) -> None:
    """At most so many are lazy, in all threads."""
    states = [ThreadState("a", 1, 0), ThreadState("b", 2, 0)]
    recorder.states = states
    states[0].ops, states[1].ops, states[1].ops_at_point = 5, 7, 4
    assert recorder.pending_ops() == 8


def test_a_running_loop_is_noticed() -> None:
    """In the thread that runs it alone."""

    async def ask() -> bool:
        return loop_runs()

    assert asyncio.run(ask())
    assert not loop_runs()
