"""The spans of a traced process: what each thread did, and when the device may have worked.

Moments are whole nanoseconds from the start of tracing, so that spans which touch in the record touch here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from placement_cli.tracing.raw import EVALUATING_KINDS, READING_KINDS, WAITING_KINDS, RawEvent, RawPoint, RawProcess

MAIN_THREAD = "MainThread"
"""What Python calls the thread that a process begins with."""
BLOCKED_NS = 10_000
"""A wait that takes no longer found everything done: looking costs 0.2 to 5 us (MLX 0.32.4, CPU build, measured)."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one thread; `point` is the index of the point whose call it is, None for host work."""

    start_ns: int
    end_ns: int
    name: str
    category: str
    point: int | None
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DeviceSpan:
    """From where work was handed over to where it was seen to be done; the device was busy for that long at most.

    `end_seen` is false where nothing waited for it: then the span ends with the last call of the thread.
    """

    start_ns: int
    end_ns: int
    name: str
    point: int
    end_seen: bool


@dataclass(frozen=True, slots=True)
class _Call:
    start_ns: int
    end_ns: int
    point: int
    window: int


def thread_spans(process: RawProcess) -> dict[str, list[Span]]:
    """Return the spans of each thread in their order, the main thread first; they nest or do not overlap."""
    calls = _calls(process)
    built = _built(process)
    names = sorted({*calls, *built}, key=lambda name: name != MAIN_THREAD)
    return {name: list(_Thread(process, calls.get(name, []), built.get(name, []), name).spans()) for name in names}


def device_spans(process: RawProcess) -> list[DeviceSpan]:
    """Return when the device may have worked, in the order of the starts."""
    found = [span for calls in _calls(process).values() for span in _device_of(process, calls)]
    return sorted(found, key=lambda span: (span.start_ns, span.end_ns))


def _calls(process: RawProcess) -> dict[str, list[_Call]]:
    """Return the calls of each thread; one that began inside another ends no later than that."""
    by_thread: dict[str, list[_Call]] = {}
    for event in sorted(process.events, key=lambda each: (each.at_s, -each.took_s)):
        by_thread.setdefault(process.points[event.point].thread, []).append(_call(event))
    return {thread: _nested(calls) for thread, calls in by_thread.items()}


def _call(event: RawEvent) -> _Call:
    start, end = round(event.at_s * 1e9), round((event.at_s + event.took_s) * 1e9)
    return _Call(max(0, start), max(0, start, end), event.point, event.window)


def _nested(calls: Sequence[_Call]) -> list[_Call]:
    found: list[_Call] = []
    around: list[_Call] = []
    for call in sorted(calls, key=lambda each: (each.start_ns, -each.end_ns)):
        while around and around[-1].end_ns <= call.start_ns:
            around.pop()
        end = min(call.end_ns, around[-1].end_ns) if around else call.end_ns
        inner = _Call(call.start_ns, end, call.point, call.window)
        found.append(inner)
        around.append(inner)
    return found


def _built(process: RawProcess) -> dict[str, list[int]]:
    """Return for each thread when it built the operations that were recorded one by one."""
    found: dict[str, list[int]] = {}
    for op in process.ops:
        found.setdefault(op.thread, []).append(max(0, round(op.at_s * 1e9)))
    return {thread: sorted(moments) for thread, moments in found.items()}


@dataclass(frozen=True, slots=True)
class _Thread:
    """One thread with its calls, and the moments of its operations."""

    process: RawProcess
    calls: Sequence[_Call]
    built: Sequence[int]
    name: str

    def spans(self) -> Iterator[Span]:
        """Yield host work and calls by turns."""
        done, before = self._begin(), None
        for call in self.calls:
            point = self.process.points[call.point]
            if call.start_ns > done and not self._gap(before, call):
                yield self._host(done, call.start_ns, point, whole=_in_one_window(before, call))
            yield Span(call.start_ns, call.end_ns, point_name(point), category(point), call.point, _blocked(call))
            done, before = max(done, call.end_ns), call
        end = self._end()
        if end > done and not self.process.events_dropped:
            yield self._host(done, end, None, whole=False)

    def _begin(self) -> int:
        """Return where its host work begins: that of the main thread with the trace, of others with what they built."""
        if self.name == MAIN_THREAD:
            return 0
        first = self.calls[0].start_ns if self.calls else self.built[0]
        return min(first, self.built[0]) if self.built else first

    def _end(self) -> int:
        built = self.built[-1] if self.built else 0
        return max(built, round(self.process.duration_s * 1e9)) if self.name == MAIN_THREAD else built

    def _gap(self, before: _Call | None, call: _Call) -> bool:
        """Whether calls may be missing between two of them: where a window begins or ends, if any were dropped."""
        return before is not None and self.process.events_dropped > 0 and before.window != call.window

    def _host(self, start: int, end: int, then: RawPoint | None, *, whole: bool) -> Span:
        """Return host work up to `then`, with the operations it built, where it was recorded `whole`."""
        args: dict[str, Any] = {}
        ops = bisect_left(self.built, end) - bisect_left(self.built, start)
        if ops or whole:
            args["ops"] = ops
        elif then is not None and then.ops_before and then.count:
            args["ops_on_average"] = round(then.ops_before / then.count, 1)
        return Span(start, end, "host", "host", None, args)


def _in_one_window(before: _Call | None, call: _Call) -> bool:
    return before is not None and before.window == call.window >= 0


def _blocked(call: _Call) -> Mapping[str, Any]:
    return {"blocked_s": (call.end_ns - call.start_ns) / 1e9}


def point_name(point: RawPoint) -> str:
    """Return what a call is named on the timeline: `eval app.py:12`."""
    return f"{point.kind} {PurePath(point.place.file).name}:{point.place.line}"


def category(point: RawPoint) -> str:
    """Return the category of a call: `submit`, `hidden` where a read evaluated, `waiting`, or its kind."""
    if point.kind == "async_eval":
        return "submit"
    if point.kind in READING_KINDS and (point.pending_calls or not point.checked_calls):
        return "hidden"
    return "waiting" if point.kind in WAITING_KINDS or point.kind == "synchronize" else point.kind


def _finds_lazy(point: RawPoint, call: _Call) -> bool:
    """Whether a waiting call evaluates by itself: as most of those looked at; where none was, if it blocked."""
    if not point.arrays or point.kind not in EVALUATING_KINDS:
        return False
    return 2 * point.pending_calls > point.checked_calls if point.checked_calls else _waited(point, call)


def _device_of(process: RawProcess, calls: Sequence[_Call]) -> Iterator[DeviceSpan]:
    last = max((call.end_ns for call in calls), default=0)
    submitted: list[_Call] = []
    for call in calls:
        point = process.points[call.point]
        if point.kind == "async_eval":
            submitted.append(call)
            continue
        if submitted and _waited(point, call):
            yield from (_handed_over(process, each, call.end_ns, seen=True) for each in submitted)
            submitted = []
        elif _finds_lazy(point, call):
            yield DeviceSpan(call.start_ns, call.end_ns, point_name(point), call.point, end_seen=True)
    yield from (_handed_over(process, each, last, seen=False) for each in submitted)


def _waited(point: RawPoint, call: _Call) -> bool:
    waits = point.kind in WAITING_KINDS or point.kind == "synchronize"
    return waits and call.end_ns - call.start_ns >= BLOCKED_NS


def _handed_over(process: RawProcess, call: _Call, end_ns: int, *, seen: bool) -> DeviceSpan:
    return DeviceSpan(call.start_ns, max(call.end_ns, end_ns), point_name(process.points[call.point]), call.point, seen)
