"""The recorder of one process: what hooks call, and what is written of it."""

from __future__ import annotations

import sys
import threading
from time import perf_counter_ns, thread_time_ns
from types import FrameType
from typing import Any

from placement_cli.tracing.clocks import Counters
from placement_cli.tracing.guard import guarded
from placement_cli.tracing.looks import Looks
from placement_cli.tracing.places import PROGRAM, TIMEIT, Places
from placement_cli.tracing.point import FIRST_DURATIONS, Point
from placement_cli.tracing.threads import SEARCH_OPS, STRIDE, Build, Local, ThreadState, thread_name
from placement_cli.tracing.windows import NO_WINDOW, Windows

EVENTS_AT_MOST = 20_000
TIMED_FIRST, TIMED_MASK = 64, 15
"""Asking how long a thread ran takes a microsecond: after the first calls, and then after every 16th."""
LOOK_EVERY = 80
"""A look is followed by at least this many times its own duration without one: looks take about a percent."""
FIRST_LOOKS = ((3, 4), (12, 20))
"""The first looks come sooner, so that short programs are seen too: until so many looks, after so many times."""
FIRST_CENSUS_NS, CENSUS_EVERY = 2_000_000_000, 200
"""Walking over all objects of a program takes some 10 ms: not in its first seconds, and half a percent later."""
LOOK_PAUSE_NS = 2_000_000
LOOP_BLOCKED_FROM_NS = 10_000_000


class Recorder:
    """Everything that is known of this process; `core` is MLX's module once it is imported."""

    def __init__(self) -> None:
        self.origin = perf_counter_ns()
        self.places = Places()
        self.points: list[Point] = []
        self.states: list[ThreadState] = []
        self.events: list[tuple[int, int, int, tuple[int, tuple[int, ...]]]] = []
        self.room = EVENTS_AT_MOST
        self.windows = Windows()
        self.errors: dict[tuple[int, str, str], list[Any]] = {}
        self.compiled: dict[tuple[str, int], list[Any]] = {}
        self.contexts: dict[int, str] = {}
        self.unseen: set[str] = set()
        self.evaluations = 0
        self.looks_ns = 0
        self.core: Any = None
        self.array: Any = type(None)
        self.looks: Looks | None = None
        self._next_look = 0
        self._looked = 0
        self._next_census = self.origin + FIRST_CENSUS_NS
        self._lock = threading.Lock()
        self.local = Local(self._new_state)

    def found_mlx(self, core: Any) -> None:
        """MLX is there: what arrays are is known from now on."""
        self.core, self.array = core, core.array
        self.looks = Looks(core, self.places)

    def forked(self) -> None:
        """Begin anew in a child process: what the parent did is in the parent's record."""
        self.origin = perf_counter_ns()
        self.points, self.states, self.events = [], [], []
        self.errors = {}
        for counts in self.compiled.values():
            counts[2:] = 0, 0
        self.room = EVENTS_AT_MOST
        self.evaluations = self.looks_ns = 0
        self.windows.forget()
        self._next_look = self._looked = 0
        self._lock = threading.Lock()
        if self.core is not None:
            self.looks = Looks(self.core, self.places)
        ident = threading.get_ident()
        self.local.state = self._new_state(thread_name(ident), ident)

    def _new_state(self, name: str, ident: int) -> ThreadState:
        state = ThreadState(name, ident, perf_counter_ns())
        with self._lock:
            self.states.append(state)
        return state

    def point(self, state: ThreadState, kind: str, call: str, frame: FrameType) -> Point:
        """Return the sums of a point, by where the program called it."""
        place = self.places.of(frame)
        point = state.places.get((place, call))
        if point is None:
            with self._lock:
                at = perf_counter_ns() - self.origin
                stream = state.streams.current() or self.default_stream(state)
                point = Point(len(self.points), kind, call, place, state.name, stream, at)
                self.points.append(point)
            state.places[place, call] = point
        return point

    def default_stream(self, state: ThreadState) -> str:
        """Return the name of the default stream of this thread; empty before it has one, and when MLX does not tell.

        MLX makes the stream when it is first asked for: streams that the program makes would get other numbers.
        """
        state.has_default = state.has_default or state.ops > state.named
        if self.core is None or not state.has_default:
            return ""
        try:
            state.default = str(self.core.default_stream(self.core.default_device()))
        except (RuntimeError, ValueError):
            return ""
        return state.default

    def called(  # noqa: C901 - one function: each call inside would be part of what the program measures
        self, state: ThreadState, point: Point, start: int, end: int, ids: tuple[int, ...], frame: FrameType
    ) -> None:
        """Add a call of a point that ended."""
        took, ops, host = end - start, state.ops - state.ops_at_point, start - state.last_end
        count = point.count
        if not count:
            point.first, point.first_at = took, start - self.origin
        point.count = count + 1
        point.blocked += took
        point.last_at = start
        if took > point.longest:
            point.longest = took
        if count < FIRST_DURATIONS:
            point.durations.append(took)
        elif not count % point.stride:
            point.sample(took)
        point.ops_before += ops
        point.host_before += host
        step = state.after.get(point.index)
        if step is None:
            step = state.after[point.index] = [0, 0, 0, 0]
        step[0] += 1
        step[1] += ops
        step[2] += host
        if ids:
            if state.last_ids and ids[0] in state.last_ids:
                step[3] += 1
            if point.evaluates:
                self.evaluations += 1
        state.after = point.after
        if self.room:
            self.room -= 1
            within = self.windows.within(ids) if state.window_left > 0 else NO_WINDOW
            self.events.append((start, took, point.index, within))
        if state.clocks.frames:
            state.clocks.called(point)
        if point.waits:
            state.waits += 1
            if state.alert or took > LOOP_BLOCKED_FROM_NS:
                self._waited(state, point, took)
        elif point.kind == "async_eval":
            state.submissions += bool(ids)
            state.streams.submit()
            state.alert = True
        state.last_ids = ids
        state.ops_at_point = state.ops
        now = state.last_end = perf_counter_ns()
        if now >= self._next_look:
            self.tick(state, frame)
            state.last_end = perf_counter_ns()
        state.calls += 1
        if state.calls < TIMED_FIRST or not state.calls & TIMED_MASK:
            state.ran_at_end = thread_time_ns()

    def _waited(self, state: ThreadState, point: Point, took: int) -> None:
        state.alert = False
        state.clocks.waited(point.place, took)
        state.streams.waited(point.place, took)
        if took > LOOP_BLOCKED_FROM_NS and took > point.loop_blocked and loop_runs():
            point.loop_blocked = took

    def failed(self, point: Point, error: BaseException) -> None:
        """Note an exception that a call raised."""
        point.failed += 1
        key = (point.index, type(error).__name__, str(error)[:500])
        if key not in self.errors:
            self.errors[key] = [0, perf_counter_ns() - self.origin]
        self.errors[key][0] += 1

    def synchronized(self, state: ThreadState, point: Point, stream: str, took: int) -> None:
        """Note that one stream was waited for."""
        state.waits += 1
        state.streams.synchronize(point.place, stream, took)
        state.clocks.waited(point.place, took)

    def read_clock(self, frame: FrameType, name: str) -> None:
        """Note a read of a clock by the program itself, or by `timeit` for it."""
        if self.places.owner(frame.f_code) != PROGRAM and frame.f_code.co_filename != TIMEIT:
            return
        state = self.local.state
        state.streams.commit()
        counters = Counters(perf_counter_ns(), state.ops, state.submissions, state.waits)
        state.alert = True
        state.clocks.read(id(frame), self.places.of(frame), name, counters)

    def generated(self, state: ThreadState, frame: FrameType) -> None:
        """Note that the program made a random array out of nothing."""
        if self.places.owner(frame.f_code) == PROGRAM:
            state.alert = True
            state.clocks.generated(id(frame), frame.f_lineno)

    def operation(
        self,
        state: ThreadState,
        frame: FrameType,
        name: str,
        arguments: tuple[Any, ...],
        result: Any,
        start: int,
        end: int,
    ) -> None:
        """Look closely at an operation that was just built: one of a window, or one of many."""
        place = self.places.of(frame)
        build = state.builds.get(place)
        if build is None:
            build = state.builds[place] = Build()
        if state.window_left > 0:
            build.add(name, 1)
            inputs = [each for each in flat(arguments) if type(each) is self.array]
            outputs = [each for each in flat((result,)) if type(each) is self.array]
            self.windows.record(name, place, state.name, inputs, outputs, start - self.origin, end - start)
            state.window_left -= 1
            if not state.window_left:
                self._end_window(state, frame)
        else:
            build.add(name, STRIDE)
            if state.later and end >= state.later[0][0]:
                self.open_window(state, state.later.pop(0)[1])
        state.detail_at = 0 if state.window_left > 0 else state.ops + STRIDE
        self.looks_ns += perf_counter_ns() - end
        self.tick(state, frame)

    def open_window(self, state: ThreadState, ops: int) -> None:
        """Record the next operations of this thread whole."""
        state.window_left = ops
        state.detail_at = 0
        self.windows.open()

    def _end_window(self, state: ThreadState, frame: FrameType) -> None:
        self._look(state, frame, perf_counter_ns())
        self.windows.made.clear()

    def tick(self, state: ThreadState, frame: FrameType) -> None:
        """Take a look at variables when it is time for one."""
        now = perf_counter_ns()
        if now < self._next_look or state.tracing or self.looks is None:
            return
        if self._look(state, frame, now) and state.window_left <= 0:
            self.open_window(state, SEARCH_OPS)

    def _look(self, state: ThreadState, frame: FrameType, now: int) -> bool:
        if self.looks is None or not self._lock.acquire(blocking=False):
            return False
        try:
            wanted = look(self, self.looks, frame, now)
            self._looked += 1
            looked = perf_counter_ns()
            every = next((times for until, times in FIRST_LOOKS if self._looked <= until), LOOK_EVERY)
            self._next_look = looked + max(LOOK_PAUSE_NS, every * (looked - now))
            if looked >= self._next_census:
                census(self)
                self._next_census = looked + CENSUS_EVERY * (perf_counter_ns() - looked)
        finally:
            self._lock.release()
        self.looks_ns += perf_counter_ns() - now
        return bool(wanted)

    def last_look(self) -> None:
        """Count what is alive when the program ends, if that was not done before."""
        if self.looks is not None and self.looks.live is None and self.is_used():
            census(self)

    def is_used(self) -> bool:
        """Tell whether this process did anything with MLX: a forked one may not, and MLX may not bear being asked."""
        return any(state.ops or state.calls for state in list(self.states))

    def pending_ops(self) -> int:
        """Return how many operations threads have built since their last evaluation, at most that many are lazy."""
        return sum(max(0, state.ops - state.ops_at_point) for state in list(self.states))


@guarded
def look(recorder: Recorder, looks: Looks, frame: FrameType, now: int) -> bool:
    """Look at variables; return whether it would help to record where they are built."""
    return looks.look(frame, (now - recorder.origin) / 1e9, recorder.evaluations, recorder.windows.made)


@guarded
def census(recorder: Recorder) -> None:
    """Count what is alive."""
    if recorder.looks is not None:
        recorder.looks.census()


def flat(arguments: tuple[Any, ...]) -> list[Any]:
    """Return arguments, with those in lists and tuples among them."""
    found: list[Any] = []
    for each in arguments:
        if isinstance(each, list | tuple):
            found.extend(each)
        else:
            found.append(each)
    return found


def loop_runs() -> bool:
    """Tell whether an asyncio loop runs in this thread."""
    events = sys.modules.get("asyncio.events")
    return events is not None and events._get_running_loop() is not None
