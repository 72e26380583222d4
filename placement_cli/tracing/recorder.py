"""The recorder of one process: what hooks call, and what is written of it."""

from __future__ import annotations

import sys
import threading
from time import perf_counter_ns, thread_time_ns
from types import FrameType
from typing import Any
from weakref import ref

from placement_cli.tracing.clocks import Counters
from placement_cli.tracing.guard import guarded
from placement_cli.tracing.looks import Looks
from placement_cli.tracing.places import PROGRAM, TIMEIT, Places
from placement_cli.tracing.point import FIRST_DURATIONS, Point
from placement_cli.tracing.threads import (
    SEARCH_OPS,
    STRIDES,
    Build,
    Here,
    Local,
    ThreadState,
    ended_of,
    thread_name,
)
from placement_cli.tracing.windows import NO_WINDOW, Windows

EVENTS_AT_MOST = 20_000
ERRORS_AT_MOST = 256
"""Messages may differ each time; further ones are counted at their point alone."""
TIMED_FIRST, TIMED_MASK = 64, 15
"""Asking how long a thread ran takes a microsecond: after the first calls, and then after every 16th."""
LOOK_SOONEST_NS, LOOK_LATER, LOOK_LATEST_NS = 3_000_000, 0.25, 2_000_000_000
"""The next look comes after this share of the time since MLX was first used, but within these bounds: a few dozen looks
show what grows, in a program that takes milliseconds as in one that takes hours."""
LOOK_TIMES = 30
"""A look is followed by at least so many times its own duration without one."""
LOOKED_AFTER_AT_MOST = 64
"""Points that are looked after once for variables that seem to grow: is there one that evaluates them?"""
FIRST_CENSUS_NS, CENSUS_EVERY = 2_000_000_000, 200
"""Walking over all objects of a program takes some 10 ms: not in its first seconds, and half a percent later."""
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
        self.clock_reads = 0
        self.looks_ns = 0
        self.core: Any = None
        self.array: Any = type(None)
        self.looks: Looks | None = None
        self._next_look = self._begun = self._suspects = 0
        self._again: ThreadState | None = None
        self._next_census = self.origin + FIRST_CENSUS_NS
        self._lock, self._looking = threading.Lock(), threading.Lock()
        self._own = threading.local()
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
        self.evaluations = self.clock_reads = self.looks_ns = 0
        self.windows.forget()
        self._next_look = self._begun = self._suspects = 0
        self._again = None
        self._lock, self._looking = threading.Lock(), threading.Lock()
        if self.core is not None:
            self.looks = Looks(self.core, self.places)
        ident = threading.get_ident()
        self.local.state = self._new_state(thread_name(ident), ident)

    def _new_state(self, name: str, ident: int) -> ThreadState:
        with self._lock:
            state = ended_of(self.states, name)
            if state is not None:
                state.taken_over(ident, perf_counter_ns())
            else:
                state = ThreadState(name, ident, perf_counter_ns())
                self.states.append(state)
        # Let go of when the thread ends.
        self._own.here = here = Here()
        state.here = ref(here)
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
        took, ops, host = end - start, state.ops - state.ops_at_point, start - state.last_end - state.away
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
            state.unnamed = state.ops - state.named
            if state.alert or took > LOOP_BLOCKED_FROM_NS:
                self._waited(state, point, took)
        elif point.kind == "async_eval":
            state.submissions += bool(ids)
            state.streams.submit(here=state.built_here())
            state.alert = True
        state.last_ids, state.away = ids, 0
        state.ops_at_point = state.ops
        now = state.last_end = perf_counter_ns()
        if now >= self._next_look or (self._suspects and point.evaluates and not point.looked_after):
            self.tick(state, frame, point)
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
            if len(self.errors) >= ERRORS_AT_MOST:
                return
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
        self.clock_reads += 1
        state.streams.commit()
        counters = Counters(perf_counter_ns(), state.ops, state.submissions, state.waits)
        state.alert = True
        owner, step = class_of(frame), frame.f_lasti
        state.clocks.read(call_of(frame), self.places.of(frame), name, counters, owner, step)

    def generated(self, state: ThreadState, frame: FrameType) -> None:
        """Note that the program made a random array out of nothing."""
        if self.places.owner(frame.f_code) == PROGRAM:
            state.alert = True
            state.clocks.generated(call_of(frame), frame.f_lineno or frame.f_code.co_firstlineno)

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
        build.add(name, state.ops - state.detailed)
        state.detailed = state.ops
        if state.window_left > 0:
            inputs = [each for each in flat(arguments) if type(each) is self.array]
            outputs = [each for each in flat((result,)) if type(each) is self.array]
            self.windows.record(name, place, state.name, inputs, outputs, start - self.origin, end - start)
            state.window_left -= 1
        elif state.later and end >= state.later[0][0]:
            self.open_window(state, state.later.pop(0)[1])
        state.detail_at = 0 if state.window_left > 0 else state.ops + STRIDES[state.ops % len(STRIDES)]
        self.looks_ns += perf_counter_ns() - end
        if self.windows.made and state.window_left <= 0 and not state.tracing:
            self._look(frame, perf_counter_ns())
            self.windows.made.clear()
        if self._again is state and not state.tracing:
            self._again = None
            self._look(frame, perf_counter_ns(), after=True)
        self.tick(state, frame)
        state.away += perf_counter_ns() - end

    def open_window(self, state: ThreadState, ops: int) -> None:
        """Record the next operations of this thread whole."""
        state.window_left = ops
        state.detail_at = 0
        self.windows.open()

    def tick(self, state: ThreadState, frame: FrameType, point: Point | None = None) -> None:
        """Take a look at variables when it is time for one, or after a `point` that may evaluate what seems to grow.

        The next operation is looked at as well: functions such as generators run then that did not at the point.
        """
        now = perf_counter_ns()
        after = point is not None and point.evaluates
        if (now < self._next_look and not after) or state.tracing or self.looks is None:
            return
        if self._look(frame, now, after=after) and state.window_left <= 0:
            self.open_window(state, SEARCH_OPS)
        if point is not None and after:
            point.looked_after = True
            self._again, state.detail_at = state, 0

    def _look(self, frame: FrameType, now: int, *, after: bool = False) -> bool:
        """Look at variables, right `after` an evaluation or at some moment between two."""
        if self.looks is None or not self._looking.acquire(blocking=False):
            return False
        try:
            self._begun = self._begun or now
            wanted = look(self, self.looks, frame, now, after)
            self._suspect(self.looks.suspects())
            looked = perf_counter_ns()
            later = min(int(LOOK_LATER * (now - self._begun)), LOOK_LATEST_NS)
            self._next_look = looked + max(LOOK_SOONEST_NS, later, LOOK_TIMES * (looked - now))
            self._take_census()
        finally:
            self._looking.release()
        self.looks_ns += perf_counter_ns() - now
        return bool(wanted)

    def _suspect(self, number: int) -> None:
        """Let every point be looked after once, when there are more variables that seem to grow."""
        if number > self._suspects:
            for point in self.points[:LOOKED_AFTER_AT_MOST]:
                point.looked_after = False
        self._suspects = number

    def _take_census(self) -> None:
        before = perf_counter_ns()
        if before >= self._next_census:
            census(self)
            self._next_census = before + CENSUS_EVERY * (perf_counter_ns() - before)

    def rest(self) -> None:
        """Take no more looks: functions with hooks may be called on, which the program has taken from modules."""
        self._next_look = sys.maxsize

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
def look(recorder: Recorder, looks: Looks, frame: FrameType, now: int, after: bool) -> bool:
    """Look at variables; return whether it would help to record where they are built."""
    at_s = (now - recorder.origin) / 1e9
    built = sum(state.ops for state in list(recorder.states))
    return looks.look(frame, at_s, recorder.evaluations, recorder.windows.made, after=after, built=built)


@guarded
def census(recorder: Recorder) -> None:
    """Count what is alive."""
    if recorder.looks is not None:
        recorder.looks.census()


def call_of(frame: FrameType) -> int:
    """Return what tells one call of a function from others that run; another function may come by the same frame."""
    return hash((id(frame), id(frame.f_code)))


def class_of(frame: FrameType) -> int:
    """Return a number for the class whose method a frame runs; 0 for other functions."""
    name = frame.f_code.co_qualname.rpartition(".")[0]
    return hash((frame.f_code.co_filename, name)) if name and not name.endswith("<locals>") else 0


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
