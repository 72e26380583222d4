"""What is put around operations: a counter, and now and then a closer look."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from time import perf_counter_ns
from types import FrameType
from typing import Any
from weakref import WeakValueDictionary

from placement_cli.tracing.guard import guarded
from placement_cli.tracing.patches import Make
from placement_cli.tracing.recorder import Recorder
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
                generated(recorder, state, sys._getframe(1), arguments)
            if state.ops < state.detail_at:
                return original(*arguments, **options)
            start = perf_counter_ns()
            result = original(*arguments, **options)
            end = perf_counter_ns()
            state.inside = True
            try:
                look_closely(recorder, state, sys._getframe(1), name, arguments, result, start, end)
            finally:
                state.inside = False
            return result

        return hook

    return make


@guarded
def look_closely(
    recorder: Recorder,
    state: ThreadState,
    frame: FrameType,
    name: str,
    arguments: tuple[Any, ...],
    result: Any,
    start: int,
    end: int,
) -> None:
    """Note one operation with its place."""
    recorder.operation(state, frame, name, arguments, result, start, end)


@guarded
def use_stream(recorder: Recorder, state: ThreadState, stream: Any) -> None:
    """Note that an operation names a stream or a device."""
    named = str(stream)
    state.named += 1
    if named.startswith("Stream") and named != recorder.default_stream(state):
        state.alert = True
        state.streams.use(named)


@guarded
def generated(recorder: Recorder, state: ThreadState, frame: FrameType, arguments: tuple[Any, ...]) -> None:
    """Note that a random array is made, where it depends on no other."""
    if not any(type(each) is recorder.array for each in arguments):
        recorder.generated(state, frame)


def compile_hook(recorder: Recorder) -> Make:
    """Return what makes a hook around mx.compile: it counts how often a function is called, and traced for that."""

    traces: WeakValueDictionary[int, Callable[..., Any]] = WeakValueDictionary()

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def compiling(function: Any, *arguments: Any, **options: Any) -> Any:
            if not callable(function):
                return original(function, *arguments, **options)
            place = recorder.places.of(sys._getframe(1))
            name = getattr(function, "__name__", type(function).__name__)
            counts = recorder.compiled.setdefault((name, place), [name, place, 0, 0])
            # MLX knows a function by its address: compiled twice, it is traced once.
            trace = traces.get(id(function))
            if trace is None:
                trace = traces[id(function)] = _traced(recorder, function, counts)
            return _called(recorder, original(trace, *arguments, **options), counts)

        return compiling

    return make


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

    return functools.wraps(compiled, updated=())(call)
