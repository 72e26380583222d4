"""What is put around streams: which one is entered, and which one is waited for."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns
from types import FrameType
from typing import Any

from placement_cli.tracing.guard import guarded
from placement_cli.tracing.patches import Make, Patches
from placement_cli.tracing.places import caller
from placement_cli.tracing.recorder import Recorder
from placement_cli.tracing.streams import DEFAULT
from placement_cli.tracing.threads import ThreadState


def hook_streams(core: Any, recorder: Recorder, patches: Patches) -> None:
    """Put hooks around `mx.stream`, as a context, and around `mx.synchronize`."""
    patches.replace(core, "synchronize", _synchronize(recorder))
    patches.replace(core, "stream", _stream(recorder))
    context = getattr(core, "StreamContext", None)
    if context is not None:
        patches.replace(context, "__enter__", _enter(recorder))
        patches.replace(context, "__exit__", _exit(recorder))


def _stream(recorder: Recorder) -> Make:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def stream(*arguments: Any, **options: Any) -> Any:
            context = original(*arguments, **options)
            remember(recorder, context, (*arguments, *options.values()))
            return context

        return stream

    return make


@guarded
def remember(recorder: Recorder, context: Any, arguments: tuple[Any, ...]) -> None:
    """Remember which stream a context will enter: it does not tell by itself."""
    if len(recorder.contexts) > 256:
        recorder.contexts.clear()
    recorder.contexts[id(context)] = named(recorder, recorder.local.state, arguments[0] if arguments else None)


def named(recorder: Recorder, state: ThreadState, stream: Any) -> str:
    """Return the name of a stream, a device standing for its default stream; DEFAULT for that of this thread."""
    if stream is None:
        return DEFAULT
    name = str(stream)
    if not name.startswith("Stream"):
        # Of a device; its stream is made now or when the context is entered.
        name = str(recorder.core.default_stream(stream))
    return DEFAULT if name == recorder.default_stream(state) else name


def _enter(recorder: Recorder) -> Make:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def enter(self: Any) -> Any:
            entered(recorder, self)
            return original(self)

        return enter

    return make


@guarded
def entered(recorder: Recorder, context: Any) -> None:
    """Note that a stream is entered; asked before it is, while the default stream is still what it was."""
    state = recorder.local.state
    state.alert = state.has_default = True
    if state.built_here():
        state.streams.use(state.streams.current())
    state.streams.enter(recorder.contexts.get(id(context), DEFAULT))


def _exit(recorder: Recorder) -> Make:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def leave(self: Any, *arguments: Any) -> Any:
            left(recorder)
            return original(self, *arguments)

        return leave

    return make


@guarded
def left(recorder: Recorder) -> None:
    """Note that a stream is left."""
    state = recorder.local.state
    state.built_here()  # On the stream that is left, which counts as used since it was entered.
    state.streams.leave()


def _synchronize(recorder: Recorder) -> Make:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        local = recorder.local

        def synchronize(*arguments: Any, **options: Any) -> Any:
            state = local.state
            start = perf_counter_ns()
            result = original(*arguments, **options)
            end = perf_counter_ns()
            if not state.inside:
                # What Python runs in between, such as a finalizer, is not recorded: it would come upon a lock.
                state.inside = True
                try:
                    synchronized(recorder, state, caller(), (*arguments, *options.values()), start, end)
                finally:
                    state.inside = False
            return result

        return synchronize

    return make


@guarded
def synchronized(
    recorder: Recorder,
    state: ThreadState,
    frame: FrameType | None,
    arguments: tuple[Any, ...],
    start: int,
    end: int,
) -> None:
    """Note that one stream was waited for."""
    if frame is None:
        return
    stream = arguments[0] if arguments else None
    state.has_default = state.has_default or stream is None
    point = recorder.point(state, "synchronize", "mx.synchronize", frame)
    recorder.called(state, point, start, end, (), frame)
    recorder.synchronized(state, point, named(recorder, state, stream), end - start)
