"""When the evaluation of every so many messages happens, and of what."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.materialize import EvaluateEvery

PendingOps = Callable[..., int]
Recording = Any


def lazy(value: float = 1.0) -> Any:
    """Return an array with one operation pending."""
    return mx.array([float(value), -float(value)]) * mx.array([2.0, 2.0])


@settings(deadline=None, max_examples=40)
@given(interval=st.integers(1, 6), count=st.integers(0, 20))
def test_every_so_many_messages_the_newest_is_evaluated(interval: int, count: int, recording: Recording) -> None:
    """Messages `interval - 1`, `2 * interval - 1` and so on are waited for; no other call is made."""
    messages = [lazy(index) for index in range(count)]
    every = EvaluateEvery(interval)
    with recording() as calls:
        for index, message in enumerate(messages):
            every(message)
            assert every.pending == (index + 1) % interval
    assert [name for name, _ in calls] == ["eval"] * (count // interval)
    due = messages[interval - 1 :: interval]
    assert [id(arrays[0]) for _, arrays in calls] == [id(message) for message in due]


@settings(deadline=None, max_examples=20)
@given(interval=st.integers(1, 5))
def test_the_graph_of_a_carried_state_never_passes_the_interval(interval: int, pending_ops: PendingOps) -> None:
    """A recurrence of one operation a message has at most `interval - 1` of them pending after a call."""
    state = mx.array([0.0])
    every = EvaluateEvery(interval)
    for index in range(1, 16):
        state = state + mx.array([1.0])
        every(state)
        assert pending_ops(state) == index % interval
    assert state.item() == 15.0


def test_messages_in_between_are_left_alone(pending_ops: PendingOps) -> None:
    """What the newest arrays do not depend on is not computed."""
    first, second = lazy(1), lazy(2)
    every = EvaluateEvery(2)
    every(first)
    every(second)
    assert (pending_ops(first), pending_ops(second)) == (1, 0)


@pytest.mark.parametrize("withheld", [(), (None,), (np.zeros(2),)], ids=["no argument", "none", "numpy"])
def test_withholding_in_step_with_the_interval_does_not_let_the_graph_grow(
    withheld: tuple[object, ...], pending_ops: PendingOps
) -> None:
    """A withheld message counts, and the newest arrays before it are evaluated in its stead."""
    every = EvaluateEvery(2)
    state = mx.array([0.0])
    for _ in range(5):
        state = state + mx.array([1.0])
        every(state)
        every(*withheld)
        assert pending_ops(state) == 0


def test_nothing_is_evaluated_where_nothing_was_passed(recording: Recording) -> None:
    """An interval of withheld messages makes no call, nor does a flush after an evaluation."""
    every = EvaluateEvery(1)
    with recording() as calls:
        every(None)
        every(lazy())
        every.flush()
        every()
    assert [name for name, _ in calls] == ["eval"]


def test_flush_evaluates_at_once_and_starts_the_count_anew(recording: Recording) -> None:
    """After a flush the next evaluation is a full interval away."""
    every = EvaluateEvery(3)
    with recording() as calls:
        every(lazy())
        every.flush()
        assert (len(calls), every.pending) == (1, 0)
        every(lazy())
        every(lazy())
        assert len(calls) == 1
        every(lazy())
    assert len(calls) == 2


def test_all_arrays_of_a_message_are_evaluated_together(recording: Recording) -> None:
    """Output and state cost one call."""
    out, state = lazy(1), lazy(2)
    with recording() as calls:
        EvaluateEvery(1)(out, [state])
    assert [[id(array) for array in arrays] for _, arrays in calls] == [[id(out), id(state)]]


def test_only_the_newest_message_is_kept() -> None:
    """Older arrays are let go at once, the newest with its evaluation."""
    arrays = [lazy(index) for index in range(3)]
    before = [sys.getrefcount(array) for array in arrays]
    every = EvaluateEvery(3)
    every(arrays[0])
    every(arrays[1])
    held = [sys.getrefcount(array) for array in arrays]
    every(arrays[2])
    after = [sys.getrefcount(array) for array in arrays]
    assert [late - early for early, late in zip(before, held, strict=True)] == [0, 1, 0]
    assert after == before


def test_an_error_is_raised_once_and_the_count_starts_anew(recording: Recording) -> None:
    """After a failed evaluation nothing of it is kept, and the next interval works."""
    bad, good = lazy(1), lazy(2)
    every = EvaluateEvery(2)
    with recording(failing=(bad,)):
        every(lazy())
        with pytest.raises(RuntimeError, match="failure 0"):
            every(bad)
        assert every.pending == 0
        every.flush()
        every(good)
        every(good)
    assert every.pending == 0


def test_leaving_the_block_flushes(recording: Recording, pending_ops: PendingOps) -> None:
    """A `with` block ends with nothing pending behind its newest arrays."""
    state = lazy()
    with recording() as calls, EvaluateEvery(10) as every:
        every(state)
        assert calls == []
    assert pending_ops(state) == 0


def test_leaving_the_block_by_an_error_flushes_too_and_keeps_that_error(recording: Recording) -> None:
    """The error of the block is the one raised; what fails in the flush is a note on it."""
    bad = lazy()

    def block() -> None:
        with EvaluateEvery(10) as every:
            every(bad)
            raise KeyError("gain")

    with recording(failing=(bad,)), pytest.raises(KeyError) as caught:
        block()
    assert "failure 0" in caught.value.__notes__[0]


@pytest.mark.parametrize("interval", [0, -1, True, 1.0, "1", None])
def test_an_interval_that_is_no_count_of_messages_is_refused(interval: Any) -> None:
    """Only an int of 1 or more is an interval."""
    with pytest.raises(ValueError, match="1 or more"):
        EvaluateEvery(interval)


def test_an_interval_can_be_read() -> None:
    """The interval is a property, and what the object prints."""
    assert (EvaluateEvery(3).interval, repr(EvaluateEvery(3))) == (3, "EvaluateEvery(3)")
