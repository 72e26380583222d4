"""The order in which a run-ahead window submits and waits, and what it does when something fails."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.materialize import RunAheadWindow

PendingOps = Callable[..., int]
Recording = Any


def lazy(value: float = 1.0) -> Any:
    """Return an array with one operation pending."""
    return mx.array([float(value), -float(value)]) * mx.array([2.0, 2.0])


def steps(calls: list[Any], messages: list[Any]) -> list[tuple[str, int]]:
    """Say each call as its name and the index of the message whose first array it was given."""
    index = {id(message): number for number, message in enumerate(messages)}
    return [(name, index[id(arrays[0])]) for name, arrays in calls]


@settings(deadline=None, max_examples=40)
@given(depth=st.integers(0, 6), count=st.integers(0, 12))
def test_message_i_is_submitted_and_then_message_i_minus_depth_is_waited_for(
    depth: int, count: int, recording: Recording
) -> None:
    """The calls alternate: submit the new message, wait for the one `depth` back; a drain keeps the order."""
    messages = [lazy(index) for index in range(count)]
    window = RunAheadWindow(depth)
    expected: list[tuple[str, int]] = []
    with recording() as calls:
        for index, message in enumerate(messages):
            window(message)
            expected.append(("async_eval", index))
            expected += [("eval", index - depth)] if index >= depth else []
            assert steps(calls, messages) == expected
            assert window.in_flight == min(index + 1, depth)
        window.drain()
    assert steps(calls, messages) == expected + [("eval", index) for index in range(max(0, count - depth), count)]
    assert window.in_flight == 0


def test_all_arrays_of_a_message_are_submitted_and_waited_for_together(recording: Recording) -> None:
    """Output and state of a message, in a tree or not, travel in one call each way."""
    out, state, more = lazy(1), lazy(2), lazy(3)
    window = RunAheadWindow(0)
    with recording() as calls:
        window(out, {"state": [state]}, more)
    assert [name for name, _ in calls] == ["async_eval", "eval"]
    assert all([id(array) for array in arrays] == [id(out), id(state), id(more)] for _, arrays in calls)


def test_the_graph_is_cut_and_the_values_are_right(pending_ops: PendingOps) -> None:
    """On real arrays a carried state stays flat and ends with the value a plain loop gives."""
    state = mx.array([0.0])
    with RunAheadWindow(2) as window:
        for index in range(20):
            state = state * mx.array([0.5]) + mx.array([float(index)])
            out = mx.abs(state)
            window(out, state)
            assert pending_ops(out, state) == 0
    expected = 0.0
    for index in range(20):
        expected = expected * 0.5 + index
    assert state.item() == pytest.approx(expected)


@pytest.mark.parametrize("withheld", [(), (None,), (np.zeros(2),)], ids=["no argument", "none", "numpy"])
def test_a_message_without_arrays_moves_the_window_on(withheld: tuple[object, ...], recording: Recording) -> None:
    """Withheld messages take their place in the order, so nothing old is kept; they cost no call of MLX."""
    message = lazy()
    window = RunAheadWindow(2)
    with recording() as calls:
        window(message)
        window(*withheld)
        assert window.in_flight == 1
        window(*withheld)
        assert window.in_flight == 0
        window.drain()
    assert steps(calls, [message]) == [("async_eval", 0), ("eval", 0)]


def test_no_reference_is_kept_to_what_was_waited_for() -> None:
    """An array leaves the window with the wait, so its memory is free for the next message."""
    arrays = [lazy(index) for index in range(4)]
    before = [sys.getrefcount(array) for array in arrays]
    window = RunAheadWindow(2)
    for index in range(4):
        window(arrays[index])
    after = [sys.getrefcount(array) for array in arrays]
    assert [late - early for early, late in zip(before, after, strict=True)] == [0, 0, 1, 1]


@pytest.mark.parametrize("depth", [-1, True, False, 1.0, "1", None])
def test_a_depth_that_is_no_count_of_messages_is_refused(depth: Any) -> None:
    """Only an int of 0 or more is a depth."""
    with pytest.raises(ValueError, match="0 or more"):
        RunAheadWindow(depth)


def test_a_window_says_how_deep_it_is() -> None:
    """The depth can be read, and is what the window prints."""
    assert (RunAheadWindow(3).depth, repr(RunAheadWindow(3))) == (3, "RunAheadWindow(3)")


def test_without_mlx_the_window_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipeline on another backend passes its window without effect or growth."""
    monkeypatch.delitem(sys.modules, "mlx.core")
    with RunAheadWindow(2) as window:
        for _ in range(10):
            window(np.zeros(2), object())
            assert window.in_flight == 0
    assert "mlx.core" not in sys.modules


def test_a_failed_wait_drops_that_message_and_keeps_the_others(recording: Recording) -> None:
    """The error is raised once, by the call that waits for it; later calls go on in order."""
    messages = [lazy(index) for index in range(5)]
    window = RunAheadWindow(2)
    with recording(failing=(messages[1],)) as calls:
        for message in messages[:3]:
            window(message)
        with pytest.raises(RuntimeError, match="failure 0"):
            window(messages[3])
        assert window.in_flight == 2
        window(messages[4])
        window.drain()
    waits = [index for name, index in steps(calls, messages) if name == "eval"]
    assert waits == [0, 1, 2, 3, 4]


def test_a_failed_submission_does_not_enter_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be submitted is not waited for, and those before it still are."""

    def refuse(*_: Any) -> None:
        raise ValueError("inside a transformation")

    window = RunAheadWindow(2)
    window(lazy())
    with monkeypatch.context() as patch:
        patch.setattr(mx, "async_eval", refuse)
        with pytest.raises(ValueError, match="inside"):
            window(lazy())
    assert window.in_flight == 1
    window.drain()


def test_drain_waits_for_everything_and_raises_the_first_error(recording: Recording) -> None:
    """After a failed drain nothing is in flight; further errors are notes on the first."""
    messages = [lazy(index) for index in range(4)]
    window = RunAheadWindow(5)
    with recording(failing=(messages[1], messages[3])) as calls:
        for message in messages:
            window(message)
        with pytest.raises(RuntimeError, match="failure 0") as caught:
            window.drain()
        window.drain()
    assert caught.value.__notes__ == ["A later message failed too: RuntimeError: failure 1"]
    assert [index for name, index in steps(calls, messages) if name == "eval"] == [0, 1, 2, 3]
    assert window.in_flight == 0


def test_leaving_the_block_drains_the_window(recording: Recording) -> None:
    """A `with` block ends when all its messages are there."""
    with recording() as calls, RunAheadWindow(3) as window:
        window(lazy(0))
        window(lazy(1))
        assert [name for name, _ in calls] == ["async_eval", "async_eval"]
    assert [name for name, _ in calls][2:] == ["eval", "eval"]


def test_leaving_the_block_by_an_error_drains_too_and_keeps_that_error(recording: Recording) -> None:
    """The error of the block is the one raised; what fails in the drain is a note on it."""
    bad, good = lazy(0), lazy(1)
    window = RunAheadWindow(3)

    def block() -> None:
        with window:
            window(bad)
            window(good)
            raise KeyError("gain")

    with recording(failing=(bad,)) as calls, pytest.raises(KeyError) as caught:
        block()
    assert "failure 0" in caught.value.__notes__[0]
    assert [name for name, _ in calls].count("eval") == 2
    assert window.in_flight == 0


@pytest.mark.parametrize("depth", [0, 1, 3, 20])
def test_a_real_error_of_mlx_is_raised_once_by_the_wait_for_its_message(depth: int) -> None:
    """A matrix without an inverse fails the wait for its message, and the window goes on as before."""

    def feed() -> list[tuple[int, str]]:
        window, errors = RunAheadWindow(depth), []
        matrices = [mx.zeros((2, 2)) if index == 2 else mx.eye(2) for index in range(8)]
        submissions = [lambda m=m: window(mx.linalg.inv(m, stream=mx.cpu)) for m in matrices]
        for number, call in enumerate([*submissions, window.drain, window.drain]):
            try:
                call()
            except RuntimeError as error:
                errors.append((number, str(error)))
        return errors

    # Not on the main thread, which for MLX is the one that first evaluates: there an error is also reported at
    # the next submission, whichever that is, and each such report can leave a task counted as unfinished for the
    # rest of the process (mlx/scheduler.cpp, `enqueue`; mlx/backend/cpu/encoder.h, `dispatch`).
    mx.eval(lazy())
    with ThreadPoolExecutor(1) as thread:
        errors = thread.submit(feed).result()
    assert [number for number, _ in errors] == [min(2 + depth, 8)]
    assert "LU factorization failed" in errors[0][1]
