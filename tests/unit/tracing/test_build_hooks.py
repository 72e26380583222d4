"""Operations are counted, and what transformations trace is the program's own function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import pytest

from placement_cli.tracing.block import tracing
from placement_cli.tracing.build_hooks import operation_hook
from placement_cli.tracing.raw import RawProcess
from placement_cli.tracing.recorder import Recorder
from placement_cli.tracing.threads import STRIDES, WINDOW_OPS

Traced = Callable[[Callable[[], Any]], RawProcess]


def test_operations_are_counted_at_their_place(traced: Traced) -> None:
    """Functions, operators and methods; two in a line are two."""

    def program() -> None:
        array = mx.zeros(2)
        for _ in range(5):
            array = array * 2
        mx.abs(array).sum()

    process = traced(program)
    first = program.__code__.co_firstlineno
    builds = [(build.place.line - first, build.ops, build.sampled) for build in process.builds]
    assert builds == [(1, 1, False), (3, 5, False), (4, 1, False), (4, 1, False)]
    assert process.cost.ops == 8
    assert {name for build in process.builds for name in build.names} == {"zeros", "__mul__", "abs", "sum"}


def test_after_the_first_window_a_sample_stands_for_all(traced: Traced) -> None:
    """Not every operation is looked at, but all are counted."""
    rounds = 4 * WINDOW_OPS

    def program() -> None:
        array = mx.zeros(2)
        for number in range(rounds):
            array = array + 1
            if not number % 100:
                mx.eval(array)

    process = traced(program)
    ops, sampled = next((build.ops, build.sampled) for build in process.builds if build.sampled)
    assert sampled
    assert abs(ops - rounds) <= 2 * max(STRIDES)
    assert process.cost.ops == rounds + 1


def test_a_window_tells_which_array_comes_from_which(traced: Traced) -> None:
    """By numbers that are given as arrays are made."""

    def program() -> None:
        left, right = mx.zeros(2), mx.ones(2)
        mx.eval(mx.add(left, right))

    zeros, ones, add = traced(program).ops
    assert [each.name for each in (zeros, ones, add)] == ["zeros", "ones", "add"]
    assert add.inputs == (zeros.output, ones.output)
    assert (add.shape, add.bytes, add.dtype) == ((2,), 8, "mlx.core.float32")


def square(x: mx.array) -> mx.array:
    """Return the squares."""
    return x * x


TRANSFORMED: dict[str, Callable[[], Any]] = {
    "compile": lambda: mx.compile(square)(mx.array([3.0])).tolist(),
    "compile method": lambda: mx.compile(nn.Linear(2, 2).__call__)(mx.ones(2)).shape,
    "compile shapeless": lambda: mx.compile(square, shapeless=True)(mx.array([3.0])).tolist(),
    "decorated": lambda: mx.compile(lambda x: x + 1)(mx.array(1.0)).item(),
    "grad": lambda: mx.grad(lambda x: square(x).sum())(mx.array([3.0])).tolist(),
    "value_and_grad": lambda: [each.item() for each in mx.value_and_grad(square)(mx.array(3.0))],
    "vmap": lambda: mx.vmap(square)(mx.array([1.0, 2.0])).tolist(),
    "vmap of a builtin": lambda: mx.vmap(mx.abs)(mx.array([-1.0])).tolist(),
    "jvp": lambda: str(mx.jvp(square, [mx.array(3.0)], [mx.array(1.0)])),
    "vjp": lambda: str(mx.vjp(square, [mx.array(3.0)], [mx.array(1.0)])),
    "checkpoint": lambda: mx.grad(mx.checkpoint(square))(mx.array(3.0)).item(),
    "nested": lambda: mx.grad(mx.grad(square))(mx.array(3.0)).item(),
    "eval inside grad": lambda: mx.grad(lambda x: (mx.eval(x * 2), x * x)[1])(mx.array(3.0)).item(),
    "name": lambda: getattr(mx.compile(square), "__name__", None),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transformed_functions_compute_what_they_did(name: str) -> None:
    """Under tracing as without."""
    before = TRANSFORMED[name]() if name != "name" else "square"
    with tracing():
        assert TRANSFORMED[name]() == before or name == "name"


@pytest.mark.parametrize("transform", ["compile", "grad", "vmap", "checkpoint"])
def test_what_is_no_function_is_refused_as_before(transform: str) -> None:
    """At once, by MLX itself."""
    with tracing(), pytest.raises(TypeError) as traced:
        getattr(mx, transform)(3)
    with pytest.raises(TypeError) as bare:
        getattr(mx, transform)(3)
    assert str(traced.value) == str(bare.value)


def test_evaluating_what_is_traced_raises_as_before() -> None:
    """MLX says so itself, and the error is in the record."""

    def program() -> None:
        with pytest.raises(ValueError, match="eval"):
            mx.compile(lambda x: (mx.eval(x), x)[1])(mx.ones(1))

    program()
    with tracing() as block:
        program()
    assert block.process is not None
    assert [each.kind for each in block.process.errors] == ["eval"]


def test_calls_and_traces_of_compiled_functions_are_counted(traced: Traced) -> None:
    """A call with another type traces it anew; what was compiled before is compiled after."""
    seen: list[int] = []

    def step(x: mx.array) -> mx.array:
        seen.append(1)
        return x * 2

    def program() -> None:
        compiled = mx.compile(step)
        for array in (mx.ones(2), mx.ones(2), mx.ones(2).astype(mx.int32)):
            mx.eval(compiled(array))

    (found,) = traced(program).compiled
    assert (found.function, found.calls, found.traces) == ("step", 3, 2)
    assert len(seen) == 2


def test_a_function_compiled_twice_is_traced_once_as_before() -> None:
    """MLX knows it by its address, and so it must stay."""

    def traces() -> int:
        seen: list[int] = []

        def step(x: mx.array) -> mx.array:
            seen.append(1)
            return x * 2

        first, second = mx.compile(step), mx.compile(step)
        mx.eval(first(mx.ones(2)), second(mx.ones(2)))
        return len(seen)

    before = traces()
    with tracing():
        assert traces() == before


def test_compiling_in_a_loop_is_one_entry(traced: Traced) -> None:
    """Its traces are those of the place, in all."""

    def program() -> None:
        for _ in range(5):
            mx.eval(mx.compile(square)(mx.ones(2)))

    (found,) = traced(program).compiled
    assert (found.calls, found.traces) == (5, 5)


def test_a_fault_in_recording_never_reaches_an_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operation is built, and the record says what it lacks."""
    recorder = Recorder()
    recorder.found_mlx(mx)

    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    for name in ("operation", "generated", "default_stream"):
        monkeypatch.setattr(recorder, name, fail)
    hook = operation_hook(recorder, "normal", generator=True)(lambda *arguments, **options: len(arguments))
    assert hook(1, 2, stream=mx.cpu) == 2
    assert len(recorder.unseen) >= 2
