"""A traced program as a timeline in the trace event format, which ui.perfetto.dev and Chrome open.

Every thread of a process is a track of complete events (`X`) that follow one another or nest, as viewers require.
What the device may have worked on is a track of its own per process; where such spans overlap they are asynchronous
events (`b`, `e`). Times are microseconds from the start of the process that started first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import count
from typing import Any

from placement_cli.export.trace_spans import MAIN_THREAD, DeviceSpan, Span, device_spans, thread_spans
from placement_cli.tracing.raw import RawMemory, RawProcess

Event = dict[str, Any]

DEVICE_TRACK = "device (between submission and availability, at most)"
COUNTERS = (
    ("active", "bytes", "active"),
    ("cache", "bytes", "cache"),
    ("peak", "bytes", "peak"),
    ("resident", "bytes", "resident"),
    ("pending", "ops", "pending_ops"),
)
"""Name of a counter, its unit, and the field of a memory sample that it shows."""
LAST = 1_000_000
"""Sort index of a track that stands below all threads."""


def timeline_json(processes: Sequence[RawProcess], argv: Sequence[str]) -> str:
    """Return a trace of `processes`, started as `argv`: a JSON object with one event a line.

    Moments are aligned by when each process started. What was not recorded is told in the metadata, and by an event
    at the end of what was.
    """
    origin_s = min((process.started_s for process in processes), default=0.0)
    numbers = _Numbers(processes)
    lines = [
        _line(event)
        for process, pid in zip(processes, numbers.pids, strict=True)
        for event in _Track(process, pid, _ns(process.started_s - origin_s), numbers).events()
    ]
    metadata = {
        "command": [_text(word) for word in argv],
        "started_s": origin_s,
        "events_dropped": sum(process.events_dropped for process in processes),
        "processes": [_about(process, pid) for process, pid in zip(processes, numbers.pids, strict=True)],
    }
    events = ",\n".join(lines)
    return f'{{"displayTimeUnit": "ms",\n"metadata": {_line(metadata)},\n"traceEvents": [\n{events}\n]}}\n'


class _Numbers:
    """Numbers that viewers tell processes, threads and asynchronous events apart by; none is used twice."""

    def __init__(self, processes: Sequence[RawProcess]) -> None:
        spare = count(max((process.pid for process in processes), default=0) + 1)
        self.pids: list[int] = []
        for process in processes:
            fits = process.pid > 0 and process.pid not in self.pids
            self.pids.append(process.pid if fits else max(1, next(spare)))
        self.threads = count(max(self.pids, default=0) + 1)
        self.spans = count(1)


class _Track:
    """The events of one process, which began `offset_ns` after the first one."""

    def __init__(self, process: RawProcess, pid: int, offset_ns: int, numbers: _Numbers) -> None:
        self.process, self.pid, self.offset_ns, self.numbers = process, pid, offset_ns, numbers
        self.about = [_about_point(process, index) for index in range(len(process.points))]

    def events(self) -> Iterator[Event]:
        """Yield the events: names of tracks first, then threads, the device, counters, and what is missing."""
        threads = thread_spans(self.process)
        tids = {thread: self.pid if thread == MAIN_THREAD else next(self.numbers.threads) for thread in threads}
        yield self._named("process_name", self.pid, self._title())
        for place, (thread, tid) in enumerate(tids.items()):
            yield self._named("thread_name", tid, thread)
            yield self._sorted(tid, place)
        for thread, spans in threads.items():
            for span in spans:
                yield self._complete(span, tids[thread])
        yield from self._device(device_spans(self.process))
        for sample in sorted(self.process.memory, key=lambda each: each.at_s):
            yield from self._counters(sample)
        if self.process.events_dropped:
            yield self._dropped()

    def _title(self) -> str:
        return " ".join(("python", *self.process.argv))

    def _named(self, what: str, tid: int, name: str) -> Event:
        return {"ph": "M", "name": what, "pid": self.pid, "tid": tid, "ts": 0, "args": {"name": _text(name)}}

    def _sorted(self, tid: int, place: int) -> Event:
        args = {"sort_index": place}
        return {"ph": "M", "name": "thread_sort_index", "pid": self.pid, "tid": tid, "ts": 0, "args": args}

    def _at(self, moment_ns: int) -> float:
        return (self.offset_ns + moment_ns) / 1000

    def _complete(self, span: Span, tid: int) -> Event:
        begin = {"ph": "X", "name": _text(span.name), "cat": span.category, "pid": self.pid, "tid": tid}
        args = dict(span.args) if span.point is None else {**self.about[span.point], **span.args}
        return {**begin, "ts": self._at(span.start_ns), "dur": (span.end_ns - span.start_ns) / 1000, "args": args}

    def _device(self, spans: Sequence[DeviceSpan]) -> Iterator[Event]:
        """Yield the spans of the device: on its track while one follows another, beside it where they overlap."""
        if not spans:
            return
        tid, busy_until = next(self.numbers.threads), 0
        yield self._named("thread_name", tid, DEVICE_TRACK)
        yield self._sorted(tid, LAST)
        for span in spans:
            args = {**self.about[span.point], "end_seen": span.end_seen}
            where = {"name": _text(span.name), "cat": "device", "pid": self.pid, "tid": tid}
            start, end = self._at(span.start_ns), self._at(span.end_ns)
            if span.start_ns >= busy_until:
                busy_until = span.end_ns
                duration = (span.end_ns - span.start_ns) / 1000
                yield {"ph": "X", **where, "ts": start, "dur": duration, "args": args}
                continue
            number = f"0x{next(self.numbers.spans):x}"
            yield {"ph": "b", **where, "id": number, "ts": start, "args": args}
            yield {"ph": "e", **where, "id": number, "ts": end, "args": {}}

    def _counters(self, sample: RawMemory) -> Iterator[Event]:
        at = self._at(_ns(sample.at_s))
        for name, unit, field in COUNTERS:
            yield {
                "ph": "C",
                "name": name,
                "pid": self.pid,
                "tid": self.pid,
                "ts": at,
                "args": {unit: getattr(sample, field)},
            }

    def _dropped(self) -> Event:
        last = max((_ns(event.at_s + event.took_s) for event in self.process.events), default=0)
        later = "later " if self.process.events else ""
        return {
            "ph": "i",
            "s": "p",
            "name": f"{self.process.events_dropped:,} {later}calls are not shown one by one",
            "cat": "trace",
            "pid": self.pid,
            "tid": self.pid,
            "ts": self._at(last),
            "args": {"events_dropped": self.process.events_dropped},
        }


def _about(process: RawProcess, pid: int) -> Event:
    return {
        "pid": pid,
        "recorded_pid": process.pid,
        "argv": [_text(word) for word in process.argv],
        "python": _text(process.python),
        "mlx": _text(process.mlx),
        "device": _text(process.device),
        "backend": _text(process.backend),
        "ended": process.ended,
        "events_dropped": process.events_dropped,
        "tracing_cost": {**asdict(process.cost), "total_s": process.cost.total_s},
        "unseen": [_text(sentence) for sentence in process.unseen],
    }


def _about_point(process: RawProcess, index: int) -> Mapping[str, Any]:
    point = process.points[index]
    return {
        "call": _text(point.call),
        "file": _text(point.place.file),
        "line": point.place.line,
        "function": _text(point.place.function),
        "through": _text(point.place.through),
        "stream": _text(point.stream),
        "blocked_in_all_s": point.blocked_s,
        "calls_in_all": point.count,
    }


def _line(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


def _text(text: str) -> str:
    """Return `text` without halves of surrogate pairs, which names of files may hold and viewers refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _ns(seconds: float) -> int:
    return max(0, round(seconds * 1e9))
