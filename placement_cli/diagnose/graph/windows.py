"""A window of a trace: operations and calls of points that follow one another without a gap, and who made what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from placement_cli.tracing.raw import EVALUATING_KINDS, Place, RawOp, RawPoint, RawProcess

UNSEEN = -1
"""Stands for the maker of an array that was not seen being made."""


@dataclass(frozen=True, slots=True)
class Record:
    """One operation (`op`), or one call of a point (`point`, an index into the points of the process).

    `arrays` are the serials of what an operation reads, or of what a call received; `makers` says for each of them
    which record of the window made it, UNSEEN for none. Times are seconds.
    """

    at_s: float
    took_s: float
    thread: str
    place: Place
    arrays: tuple[int, ...]
    op: RawOp | None = None
    point: int | None = None
    kind: str = ""
    makers: tuple[int, ...] = ()

    @property
    def end_s(self) -> float:
        """When it was over."""
        return self.at_s + self.took_s

    @property
    def evaluates(self) -> bool:
        """Whether it is a call that schedules what is lazy, or waits for a stream."""
        return self.kind in EVALUATING_KINDS or self.kind == "synchronize"

    @property
    def mark(self) -> tuple[object, ...]:
        """What this record has in common with the same step of another message."""
        if self.op is None:
            return (self.point,)
        return self.op.name, self.place.file, self.place.line, self.place.function


@dataclass(frozen=True, slots=True)
class Window:
    """The records of one window, all threads, in the order in which they began."""

    number: int
    records: tuple[Record, ...]

    def op(self, index: int) -> RawOp:
        """Return the operation that record `index` is; raises ValueError for a call of a point."""
        op = self.records[index].op
        if op is None:
            raise ValueError(f"record {index} is no operation")
        return op

    def of_thread(self, thread: str) -> list[int]:
        """Return the indices of the records of one thread."""
        return [index for index, record in enumerate(self.records) if record.thread == thread]

    @property
    def threads(self) -> list[str]:
        """The threads in the order in which they are first seen."""
        return list(dict.fromkeys(record.thread for record in self.records))


def windows_of(process: RawProcess) -> list[Window]:
    """Return the windows of a process in which operations were recorded."""
    found: dict[int, list[Record]] = {op.window: [] for op in process.ops}
    for op in process.ops:
        found[op.window].append(Record(op.at_s, op.took_s, op.thread, op.place, op.inputs, op=op))
    for event in process.events:
        if event.window in found:
            point: RawPoint = process.points[event.point]
            found[event.window].append(
                Record(
                    event.at_s,
                    event.took_s,
                    point.thread,
                    point.place,
                    event.arrays,
                    point=event.point,
                    kind=point.kind,
                )
            )
    return [Window(number, _with_makers(found[number])) for number in sorted(found)]


def _with_makers(records: Iterable[Record]) -> tuple[Record, ...]:
    last: dict[int, int] = {}
    found: list[Record] = []
    for index, record in enumerate(sorted(records, key=lambda each: (each.at_s, each.end_s))):
        makers = tuple(last.get(serial, UNSEEN) if serial else UNSEEN for serial in record.arrays)
        found.append(_made_by(record, makers))
        if record.op is not None and record.op.output:
            last[record.op.output] = index
    return tuple(found)


def _made_by(record: Record, makers: tuple[int, ...]) -> Record:
    return Record(
        record.at_s,
        record.took_s,
        record.thread,
        record.place,
        record.arrays,
        record.op,
        record.point,
        record.kind,
        makers,
    )


def ancestors(window: Window, starts: Iterable[int], within: frozenset[int] | set[int]) -> set[int]:
    """Return the operations among `within` that the records `starts` depend on, these included."""
    found: set[int] = set()
    waiting = [index for index in starts if index in within]
    while waiting:
        index = waiting.pop()
        if index not in found:
            found.add(index)
            waiting += [maker for maker in window.records[index].makers if maker in within and maker not in found]
    return found


def arrays_made(window: Window, indices: Sequence[int]) -> set[int]:
    """Return the serials of the arrays that the operations among `indices` made."""
    ops = (window.records[index].op for index in indices)
    return {op.output for op in ops if op is not None and op.output}
