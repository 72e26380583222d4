"""What is put around evaluations and reads is not noticed by who calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import pytest

from placement_cli.tracing.point_hooks import point_hook
from placement_cli.tracing.raw import RawPoint, RawProcess
from placement_cli.tracing.recorder import Recorder

Traced = Callable[[Callable[[], Any]], RawProcess]


def by_call(process: RawProcess) -> dict[str, RawPoint]:
    """Return the points of this file by what was called."""
    return {point.call: point for point in process.points if point.place.file == __file__}


class Message:
    def __init__(self) -> None:
        self.data = mx.ones(3)


def test_every_way_to_a_value_is_a_point_of_its_kind(traced: Traced) -> None:
    """With what it received, whether that was lazy, and where it is."""

    def program() -> None:
        mx.eval(mx.ones(4) + 1, {"a": [mx.ones(4) + 1]})
        mx.async_eval(mx.ones(4) + 1)
        (mx.ones(1) + 1).item()
        (mx.ones(2) + 1).tolist()
        bool(mx.ones(1) + 1)
        float(mx.ones(1) + 1)
        f"{mx.ones(1) + 1}"
        repr(mx.ones(1) + 1)

    points = by_call(traced(program))
    kinds = {call: (point.kind, point.count, point.arrays, point.pending_calls) for call, point in points.items()}
    assert kinds == {
        "mx.eval": ("eval", 1, 2, 1),
        "mx.async_eval": ("async_eval", 1, 1, 1),
        "array.item": ("item", 1, 1, 1),
        "array.tolist": ("tolist", 1, 1, 1),
        "array.__bool__": ("bool", 1, 1, 1),
        "array.__float__": ("number", 1, 1, 1),
        "array.__format__": ("print", 1, 1, 1),
        "array.__repr__": ("print", 1, 1, 1),
    }
    assert points["mx.eval"].bytes == 32
    assert points["mx.eval"].place.function == "test_every_way_to_a_value_is_a_point_of_its_kind.<locals>.program"


def test_a_call_without_arrays_is_told_with_what_it_received(traced: Traced) -> None:
    """Also one with arrays of no elements."""

    def program() -> None:
        mx.eval()
        mx.eval(Message())
        mx.eval(mx.zeros((0, 4)))

    process = traced(program)
    found = [(each.empty_calls, each.zero_size_calls, each.receivers) for each in process.points]
    assert found == [(1, 0, ("",)), (1, 0, ("Message(data)",)), (0, 1, ())]


def test_errors_are_those_of_mlx(traced: Traced) -> None:
    """Raised as before, and noted where."""

    def program() -> None:
        with pytest.raises(ValueError, match="array") as raised:
            mx.ones(3).item()
        assert raised.type is ValueError
        with pytest.raises(TypeError):
            mx.array(1).item("too much")

    process = traced(program)
    assert sorted(each.type for each in process.errors) == ["TypeError", "ValueError"]
    assert all(each.place.file == __file__ for each in process.errors)


def test_what_a_call_calls_in_turn_is_no_point_of_its_own(traced: Traced) -> None:
    """A conversion within a conversion would be counted twice."""

    def program() -> None:
        str([mx.array(2.0)])

    assert [point.kind for point in traced(program).points] == ["print"]


def test_a_place_is_known_by_line_and_not_by_function(traced: Traced) -> None:
    """Two calls in a line are one place, in a loop as well."""

    def program() -> None:
        for _ in range(3):
            mx.array(2.0).item()
        mx.array(2.0).item()

    assert [point.count for point in traced(program).points] == [3, 1]


def hooked(recorder: Recorder, function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Return a function with a hook around it."""
    hook: Callable[..., Any] = point_hook(recorder, "eval", "mx.eval", **options)(function)
    return hook


@pytest.fixture
def recorder() -> Recorder:
    """A recorder that knows MLX, with nothing recorded."""
    recorder = Recorder()
    recorder.found_mlx(mx)
    return recorder


@pytest.mark.parametrize("broken", ["point", "called", "default_stream", "tick"])
def test_a_fault_in_recording_never_reaches_the_program(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """Results and exceptions are the program's, and the record says what it lacks."""

    def fail(*_: Any) -> Any:
        raise ZeroDivisionError(broken)

    def program(number: int) -> int:
        if number < 0:
            raise LookupError(number)
        return number

    monkeypatch.setattr(recorder, broken, fail)
    call = hooked(recorder, program)
    assert [call(1), call(2)] == [1, 2]
    with pytest.raises(LookupError, match="-1"):
        call(-1)
    assert any(f"ZeroDivisionError: {broken}" in sentence for sentence in recorder.unseen)
    assert not recorder.local.state.inside


def test_arguments_that_cannot_be_counted_are_passed_on(recorder: Recorder) -> None:
    """Such as an object whose fields fail."""

    class Failing:
        @property
        def __dict__(self) -> Any:  # type: ignore[override] # On purpose.
            raise RuntimeError("not yet")

    failing = Failing()
    assert hooked(recorder, lambda value: value)(failing) is failing
    assert any("RuntimeError: not yet" in sentence for sentence in recorder.unseen)


def test_an_interruption_passes(recorder: Recorder) -> None:
    """And leaves the thread ready for the next call."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hooked(recorder, interrupted)()
    assert hooked(recorder, lambda: 3)() == 3
    assert recorder.points[-1].count == 1


def test_a_foreign_function_counts_only_with_an_array(recorder: Recorder) -> None:
    """Most conversions of NumPy are none of MLX's business."""
    call = hooked(recorder, lambda *arguments, **options: (arguments, options), foreign=True)
    assert call([1.0], dtype=int) == (([1.0],), {"dtype": int})
    assert call() == ((), {})
    assert recorder.points == []
    call(mx.array(1.0), [mx.array(2.0)])
    assert [point.count for point in recorder.points] == [1]


def test_with_the_first_argument_only_others_are_not_counted(recorder: Recorder) -> None:
    """They are options of the call, such as a type."""
    hooked(recorder, lambda *arguments: None, first_only=True)(mx.zeros(2), mx.zeros(4))
    assert recorder.points[0].bytes == 8
