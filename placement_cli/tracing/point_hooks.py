"""What is put around a call that evaluates, waits or reads."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter_ns, thread_time_ns
from types import FrameType
from typing import Any

from placement_cli.tracing.arguments import arrays_in
from placement_cli.tracing.guard import admit, guarded
from placement_cli.tracing.patches import Make
from placement_cli.tracing.places import PROGRAM
from placement_cli.tracing.point import CHECK_MASK, CHECKED_FIRST, Point
from placement_cli.tracing.recorder import Recorder
from placement_cli.tracing.threads import ThreadState

IDS_AT_MOST = 8
"""How many arrays of a call are remembered until the next call."""
CHECKED_AT_MOST = 4
"""How many arrays of a call are asked whether they are lazy."""
NONE: tuple[int, ...] = ()


def point_hook(  # noqa: C901 - one function: each call inside would be part of what the program measures
    recorder: Recorder, kind: str, call: str, *, first_only: bool = False, foreign: bool = False
) -> Make:
    """Return what makes a hook around a function or method; with `first_only` its first argument alone is read.

    A `foreign` function is recorded only when its first argument is an array of MLX.

    The way through a hook is short on purpose: it is part of every time that the program measures.
    """

    def make(original: Callable[..., Any]) -> Callable[..., Any]:  # noqa: C901 - one way through, on purpose
        local = recorder.local

        def hook(*arguments: Any, **options: Any) -> Any:  # noqa: C901 - as above
            if foreign and not (arguments and type(arguments[0]) is recorder.array):
                return original(*arguments, **options)
            state = local.state
            if state.inside:
                return original(*arguments, **options)
            try:
                frame = sys._getframe(1)
            except ValueError:
                # Nobody in Python called: an atexit callback, or the first function of a thread.
                return original(*arguments, **options)
            try:
                state.inside = True
                point = state.points.get((id(frame.f_code), frame.f_lasti, call))
                if point is None:
                    point = find(recorder, state, kind, call, frame)
                count = point.count
                if count < CHECKED_FIRST or not count & CHECK_MASK:
                    ids = received(recorder, point, arguments[:1] if first_only else arguments) or NONE
                else:
                    ids = tuple(map(id, arguments)) if point.counted > point.empty else NONE
                # What lies before a point's first call is more than what lies between two.
                if state.ran_at_end:
                    if count:
                        point.host_ran += thread_time_ns() - state.ran_at_end
                        point.host_timed += perf_counter_ns() - state.last_end
                    state.ran_at_end = 0
                start = perf_counter_ns()
                result = original(*arguments, **options)
                end = perf_counter_ns()
            except Exception as error:
                failed(recorder, point, error)
                raise
            else:
                try:
                    recorder.called(state, point, start, end, ids, frame)
                except Exception as error:  # noqa: BLE001 - as in `guarded`, without the time of another call
                    admit(recorder, "called", error)
            finally:
                state.inside = False
            return result

        return hook

    return make


@guarded
def _find(recorder: Recorder, state: ThreadState, kind: str, call: str, frame: FrameType) -> Point:
    point = recorder.point(state, kind, call, frame)
    if recorder.places.owner(frame.f_code) == PROGRAM and recorder.places.is_kept(frame.f_code):
        state.points[id(frame.f_code), frame.f_lasti, call] = point
    return point


def find(recorder: Recorder, state: ThreadState, kind: str, call: str, frame: FrameType) -> Point:
    """Return the sums of a call at this place; sums that nobody reads when it cannot be told which."""
    return _find(recorder, state, kind, call, frame) or Point(-1, kind, call, -1, state.name, "", 0)


@guarded
def received(recorder: Recorder, point: Point, given: tuple[Any, ...]) -> tuple[int, ...]:
    """Count what a call is given, and ask MLX whether that is still lazy."""
    array: Any = recorder.array
    found = list(given) if len(given) == 1 and type(given[0]) is array else list(arrays_in(given, array))
    point.received(len(found), sum(each.nbytes for each in found))
    if not found:
        point.receivers_of(given, array)
    elif recorder.looks is not None:
        lazy = recorder.looks.is_any_lazy(found[:CHECKED_AT_MOST])
        point.checked += lazy is not None
        point.pending += bool(lazy)
    return tuple(map(id, found[:IDS_AT_MOST]))


@guarded
def failed(recorder: Recorder, point: Point, error: BaseException) -> None:
    """Note an exception of MLX."""
    recorder.failed(point, error)
