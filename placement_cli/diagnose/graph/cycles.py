"""Finds where one message ends and the next begins: the stretch of evaluating points that repeats in a thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from placement_cli.diagnose.graph.windows import Window

MOST_POINTS = 200
"""A message with more evaluating points than this is not recognised."""
ENOUGH = 0.6
"""A shorter stretch that repeats is taken before a longer one where it explains this share of what was seen."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """In a sequence, `length` items from `start` on repeat after every `period` items."""

    start: int
    period: int
    length: int


@dataclass(frozen=True, slots=True)
class Cycles:
    """The whole messages of one thread in a window, each as the indices of its records, one right after another.

    `regular`: the same points came in the same order every time; otherwise a message lies between two calls of the
    point that came most often.
    """

    window: Window
    thread: str
    messages: tuple[tuple[int, ...], ...]
    closing: int
    regular: bool

    def like(self, number: int) -> list[int]:
        """Return the numbers of the messages with the same steps as message `number`."""
        marks = self._marks(number)
        return [other for other in range(len(self.messages)) if self._marks(other) == marks]

    def usual(self) -> int:
        """Return the number of the last message of the most frequent kind."""
        kinds = Counter(self._marks(number) for number in range(len(self.messages)))
        most = max(kinds.values())
        fit = [number for number in range(len(self.messages)) if kinds[self._marks(number)] == most]
        return fit[-1]

    def _marks(self, number: int) -> tuple[object, ...]:
        return tuple(self.window.records[index].mark for index in self.messages[number])


def repeating(sequence: Sequence[int]) -> Repeat | None:
    """Return the stretch that comes at least twice in a row and explains most of `sequence`; None without any.

    A shorter period goes before a longer one where it explains enough.
    """
    best: Repeat | None = None
    for period in range(1, min(MOST_POINTS, len(sequence) // 2) + 1):
        found = _longest(sequence, period)
        if found is None:
            continue
        if found.length >= ENOUGH * len(sequence):
            return found
        best = found if best is None or found.length > best.length else best
    return best


def _longest(sequence: Sequence[int], period: int) -> Repeat | None:
    """Return the longest stretch with this period, if it holds two whole ones."""
    best, start = (0, 0), 0
    for index in range(len(sequence) - period + 1):
        if index == len(sequence) - period or sequence[index] != sequence[index + period]:
            best = max(best, (index - start, -start))
            start = index + 1
    length, negative = best
    return Repeat(-negative, period, length + period) if length >= period else None


def cycles_of(window: Window, thread: str, first_points: Sequence[int]) -> Cycles | None:
    """Return the messages of `thread` in `window`; None where nothing repeats around at least one whole message.

    `first_points` are the evaluating points of the thread in their order from its first call on: a message begins
    where the program's first one began, unless another cut parts fewer arrays from their readers.
    """
    indices = window.of_thread(thread)
    places = [place for place, index in enumerate(indices) if window.records[index].evaluates]
    sequence = [window.records[indices[place]].point or 0 for place in places]
    found = repeating(sequence)
    if found is None:
        return _by_frequency(window, thread, indices, places)
    wanted = _closing_of(first_points, found.period)
    choice = min(range(found.period), key=lambda turn: _cost(window, indices, places, found, turn, wanted))
    cuts = [places[place] for place in range(found.start + choice, found.start + found.length, found.period)]
    return _cut(window, thread, indices, cuts, regular=True)


def _closing_of(first_points: Sequence[int], period: int) -> int | None:
    found = _longest(first_points, period)
    return None if found is None else first_points[found.start + period - 1]


def _cost(
    window: Window, indices: Sequence[int], places: Sequence[int], found: Repeat, turn: int, wanted: int | None
) -> tuple[int, bool, bool, float]:
    """Return how bad it is to end messages here: arrays that cross, no operation next, another end than the first."""
    at = range(found.start + turn, found.start + found.length, found.period)
    cuts = [places[place] for place in at]
    cut = cuts[len(cuts) // 2 - 1] if len(cuts) > 1 else cuts[0]
    records = window.records
    after = [index for index in indices[cut + 1 :] if records[index].op is not None]
    end = indices[cut]
    crossing = {maker for index in after for maker in records[index].makers if 0 <= maker <= end}
    follows = cut + 1 < len(indices) and records[indices[cut + 1]].op is not None
    pause = records[indices[cut + 1]].at_s - records[end].end_s if cut + 1 < len(indices) else 0.0
    return len(crossing), not follows, records[end].point != wanted, -pause


def _by_frequency(window: Window, thread: str, indices: Sequence[int], places: Sequence[int]) -> Cycles | None:
    """Cut at the point that came most often, where points do not come in a fixed order."""
    counts = Counter(window.records[indices[place]].point for place in places)
    if not counts or max(counts.values()) < 2:
        return None
    point = max(counts, key=lambda each: counts[each])
    cuts = [place for place in places if window.records[indices[place]].point == point]
    return _cut(window, thread, indices, cuts, regular=False)


def _cut(window: Window, thread: str, indices: Sequence[int], cuts: Sequence[int], *, regular: bool) -> Cycles | None:
    messages = tuple(_between(indices, cuts))
    if not messages:
        return None
    return Cycles(window, thread, messages, window.records[indices[cuts[-1]]].point or 0, regular)


def _between(indices: Sequence[int], cuts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for before, after in pairwise(cuts):
        yield tuple(indices[before + 1 : after + 1])
