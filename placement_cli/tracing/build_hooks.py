"""What is put around operations: a counter, and now and then a closer look."""

from __future__ import annotations

import functools
from collections.abc import Callable
from time import perf_counter_ns
from types import FrameType
from typing import Any
from weakref import WeakValueDictionary

from placement_cli.tracing.guard import guarded
from placement_cli.tracing.patches import Make, held_like
from placement_cli.tracing.places import caller
from placement_cli.tracing.recorder import Recorder
from placement_cli.tracing.streams import DEFAULT
from placement_cli.tracing.threads import ThreadState


def operation_hook(recorder: Recorder, name: str, *, generator: bool = False) -> Make:
    """Return what makes a hook around an operation; a `generator` makes random arrays out of nothing."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        local = recorder.local

        def hook(*arguments: Any, **options: Any) -> Any:
            state = local.state
            if state.inside:
                return original(*arguments, **options)
            state.ops += 1
            if options and "stream" in options:
                use_stream(recorder, state, options["stream"])
            if generator:
                generated(recorder, state, caller(), arguments)
            if state.ops < state.detail_at:
                return original(*arguments, **options)
            start = perf_counter_ns()
            result = original(*arguments, **options)
            end = perf_counter_ns()
            state.inside = True
            try:
                look_closely(recorder, state, caller(), name, arguments, result, start, end)
            finally:
                state.inside = False
            return result

        return hook

    return make


@guarded
def look_closely(
    recorder: Recorder,
    state: ThreadState,
    frame: FrameType | None,
    name: str,
    arguments: tuple[Any, ...],
    result: Any,
    start: int,
    end: int,
) -> None:
    """Note one operation with its place."""
    if frame is not None:
        recorder.operation(state, frame, name, arguments, result, start, end)


@guarded
def use_stream(recorder: Recorder, state: ThreadState, stream: Any) -> None:
    """Note that an operation names a stream or a device."""
    if stream is None:
        return
    state.named += 1
    named = str(stream)
    if named in (str(recorder.core.default_device()), recorder.default_stream(state)):
        state.streams.use(DEFAULT)
    elif named.startswith("Stream"):
        state.alert = True
        state.streams.use(named)


@guarded
def generated(recorder: Recorder, state: ThreadState, frame: FrameType | None, arguments: tuple[Any, ...]) -> None:
    """Note that a random array is made, where it depends on no other."""
    if frame is not None and not any(type(each) is recorder.array for each in arguments):
        recorder.generated(state, frame)


def compile_hook(recorder: Recorder) -> Make:
    """Return what makes a hook around mx.compile: it counts how often a function is called, and traced for that."""

    traces: WeakValueDictionary[int, Callable[..., Any]] = WeakValueDictionary()

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def compiling(function: Any, *arguments: Any, **options: Any) -> Any:
            if not callable(function):
                return original(function, *arguments, **options)
            counts = _counts(recorder, function, caller()) or [name_of(function), -1, 0, 0]
            # MLX knows a function by its address: compiled twice, it is traced once.
            trace = traces.get(id(function))
            if trace is None:
                trace = traces[id(function)] = _traced(recorder, function, counts)
            return _called(recorder, original(trace, *arguments, **options), counts)

        return compiling

    return make


@guarded
def _counts(recorder: Recorder, function: Callable[..., Any], frame: FrameType | None) -> list[Any] | None:
    """Return name, place, calls and traces of a function, by where it is compiled; None where that is not known."""
    if frame is None:
        return None
    name, place = name_of(function), recorder.places.of(frame)
    return recorder.compiled.setdefault((name, place), [name, place, 0, 0])


def name_of(function: Any) -> str:
    """Return the name of a function, or that of its type."""
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__


def _traced(recorder: Recorder, function: Callable[..., Any], counts: list[Any]) -> Callable[..., Any]:
    def trace(*arguments: Any, **options: Any) -> Any:
        counts[3] += not recorder.local.state.tracing
        return traced(*arguments, **options)

    traced = _within(recorder, function)
    return functools.wraps(function, updated=())(trace)


def transform_hook(recorder: Recorder) -> Make:
    """Return what makes a hook around a transformation such as mx.grad: what it traces are no variables to look at.

    A compiled function that is called within is not compiled, only called.
    """

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def transform(function: Any, *arguments: Any, **options: Any) -> Any:
            within = _within(recorder, function) if callable(function) else function
            return original(within, *arguments, **options)

        return transform

    return make


def _within(recorder: Recorder, function: Callable[..., Any]) -> Callable[..., Any]:
    local = recorder.local

    def within(*arguments: Any, **options: Any) -> Any:
        state = local.state
        state.tracing += 1
        try:
            return function(*arguments, **options)
        finally:
            state.tracing -= 1

    return functools.wraps(function, updated=())(within)


def _called(recorder: Recorder, compiled: Callable[..., Any], counts: list[Any]) -> Callable[..., Any]:
    local = recorder.local

    def call(*arguments: Any, **options: Any) -> Any:
        counts[2] += 1
        local.state.ops += 1
        return compiled(*arguments, **options)

    called: Callable[..., Any] = held_like(compiled, call)
    return called
