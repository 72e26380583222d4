"""Pairs of reads of a clock in one call of a function or in two methods of a class, and what was waited for between."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from placement_cli.tracing.point import Point
from placement_cli.tracing.raw import Place, RawInterval

FRAMES_AT_MOST = 64
"""Calls of functions whose last read of a clock is remembered in a thread, the newest ones."""
UNFINISHED_AT_MOST = 64
NESTED_AT_MOST = 8
"""Timers of one class that are inside of one another."""
CALLS_AT_MOST, CLOCKED_AT_MOST = 16, 8
"""A pair of reads with more calls between them times a stretch of the program, not a call."""


@dataclass(slots=True)
class Counters:
    """What a thread had done at a moment; `generated` are lines of random arrays made since its last evaluation."""

    at: int
    ops: int
    submissions: int
    waits: int


@dataclass(slots=True)
class Reading:
    """The last read of a clock in one call of a function.

    `lines` called generators since, `generated` times in all; `lazy` is the last line that did before it.
    """

    place: int
    clock: str
    then: Counters
    call: int
    step: int = 0
    lazy: int | None = None
    lines: set[int] = field(default_factory=set)
    generated: int = 0


@dataclass(slots=True)
class Interval:
    """Sums over pairs of reads at two places; see RawInterval."""

    clock: str
    count: int = 0
    elapsed: int = 0
    ops: int = 0
    submissions: int = 0
    waits: int = 0
    unfinished: int = 0
    excused: int = 0
    then_blocked: int = 0
    then_longest: int = -1
    then: int = -1
    generated: set[int] = field(default_factory=set)
    generated_calls: int = 0
    lazy_before: int = 0
    lazy_line: int | None = None


@dataclass(slots=True)
class Unfinished:
    """A pair whose work nothing has waited for yet, or was waited for after it."""

    interval: Interval
    frame: int
    opened_at: int
    waited: bool = False


class Clocks:
    """The reads of clocks in one thread.

    `calls` are the last calls of points since a clock was read, as (number, point), `number` that of the last one.
    """

    def __init__(self) -> None:
        self.frames: dict[int, Reading] = {}
        self.calls: deque[tuple[int, Point]] = deque(maxlen=CALLS_AT_MOST)
        self.number = 0
        self.intervals: dict[tuple[int, int], Interval] = {}
        self.unfinished: list[Unfinished] = []
        self._generated: dict[int, int] = {}
        self._methods: dict[int, deque[Reading]] = {}

    def read(self, frame: int, place: int, clock: str, now: Counters, owner: int = 0, step: int = 0) -> None:
        """Note a read at `place` in the call `frame`, at a `step` of its code.

        `owner` is the class of a method, 0 for other functions.

        A pair is of one call, or of two methods of a class, such as `__enter__` and `__exit__`.
        """
        before = self.frames.pop(frame, None)
        if before is not None and before.place == place and step < before.step:
            before = None  # Another call that came by the same frame.
        if before is not None:
            self._pair(frame, before, place, now)
        # At the same place again: a loop, or another call that came by the same frame.
        if owner and (before is None or before.place == place):
            self._read_in_method(owner, place, clock, now)
        if len(self.frames) >= FRAMES_AT_MOST:
            del self.frames[next(iter(self.frames))]
        self.frames[frame] = Reading(place, clock, now, self.number, step, self._generated.get(frame))

    def _read_in_method(self, owner: int, place: int, clock: str, now: Counters) -> None:
        """Pair a read with the last one of another method of its class that has no pair, or leave it to another one."""
        opened = self._methods.setdefault(owner, deque(maxlen=NESTED_AT_MOST))
        if opened and opened[-1].place != place:
            self._pair(owner, opened.pop(), place, now)
        else:
            self._settle(owner, place)
            opened.append(Reading(place, clock, now, self.number))

    def generated(self, frame: int, line: int) -> None:
        """Note that a random array was made in the call `frame`."""
        reading = self.frames.get(frame)
        if reading is not None:
            reading.lines.add(line)
            reading.generated += 1
        if len(self._generated) >= FRAMES_AT_MOST:
            self._generated.clear()
        self._generated[frame] = line

    def waited(self, place: int, blocked: int) -> None:
        """Note that the thread waited: what was generated is computed, and unfinished pairs learn what they missed."""
        if self._generated:
            self._generated.clear()
        fresh = {}
        for each in self.unfinished:
            if not each.waited:
                each.waited = True
                fresh[id(each.interval)] = each.interval
        # One wait, however many pairs it makes up for.
        for interval in fresh.values():
            interval.then_blocked += blocked
            if blocked > interval.then_longest:
                interval.then_longest, interval.then = blocked, place

    def restart(self) -> None:
        """Forget calls of functions: another thread goes on with these sums."""
        self.frames.clear()
        self.calls.clear()
        self.unfinished.clear()
        self._generated.clear()
        self._methods.clear()

    def _pair(self, frame: int, before: Reading, place: int, now: Counters) -> None:
        interval = self.intervals.setdefault((before.place, place), Interval(before.clock))
        then = before.then
        interval.count += 1
        interval.elapsed += now.at - then.at
        interval.ops += now.ops - then.ops
        interval.submissions += now.submissions - then.submissions
        interval.waits += now.waits - then.waits
        interval.generated.update(before.lines)
        interval.generated_calls += before.generated
        waited = now.waits > then.waits
        if waited and before.lazy is not None:
            interval.lazy_before += 1
            interval.lazy_line = before.lazy
        self._settle(frame, place)
        self._clocked(before.call)
        if not waited and (now.ops > then.ops or now.submissions > then.submissions):
            interval.unfinished += 1
            self.unfinished.append(Unfinished(interval, frame, before.place))
            del self.unfinished[:-UNFINISHED_AT_MOST]

    def called(self, point: Point) -> None:
        """Note a call that may turn out to lie between two reads."""
        self.number += 1
        self.calls.append((self.number, point))

    def _clocked(self, since: int) -> None:
        """Mark the calls between two reads as timed, where they are so few that it is they that are timed."""
        if self.number - since > CLOCKED_AT_MOST:
            return
        while self.calls and self.calls[-1][0] > since:
            self.calls.pop()[1].clocked += 1

    def _settle(self, frame: int, place: int) -> None:
        """Excuse pairs of this call whose wait this read takes in; forget those that begin anew."""
        kept = []
        for each in self.unfinished:
            if each.frame != frame:
                kept.append(each)
            elif each.waited and place != each.opened_at:
                each.interval.excused += 1
            elif place != each.opened_at:
                kept.append(each)
        self.unfinished = kept

    def raw(self, known: list[Place], thread: str) -> list[RawInterval]:
        """Return every kind of pair that was seen."""
        return [
            RawInterval(
                known[begin],
                known[end].line,
                each.clock,
                thread,
                each.count,
                each.elapsed / 1e9,
                each.ops,
                each.submissions,
                each.waits,
                each.unfinished,
                each.excused,
                each.then_blocked / 1e9,
                known[each.then] if each.then >= 0 else None,
                tuple(sorted(each.generated)),
                each.generated_calls,
                each.lazy_before,
                each.lazy_line,
            )
            for (begin, end), each in list(self.intervals.items())
        ]
