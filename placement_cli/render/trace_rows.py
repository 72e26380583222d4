"""Points of a trace as a person reads them: one row for a line of source, however many threads and processes ran it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from placement_cli.store.trace_document import PointRecord

Key = tuple[str, str, str, int, str, str]


@dataclass(frozen=True, slots=True)
class PointRow:
    """Calls of one kind at one place; `points` has one for each thread that made them, the most blocked first."""

    points: tuple[PointRecord, ...]

    @property
    def first(self) -> PointRecord:
        """The point of the thread that was blocked longest: what it shares with the others stands for all."""
        return self.points[0]

    @property
    def hidden(self) -> bool:
        """Whether any of the threads synchronized here without saying so."""
        return any(point.hidden for point in self.points)

    @property
    def longest_s(self) -> float:
        """The longest single call."""
        return max(point.longest_s for point in self.points)

    @property
    def blocked_s(self) -> float:
        """Seconds that all threads were blocked, added up."""
        return sum(point.blocked_s for point in self.points)

    def total(self, number: Callable[[PointRecord], int]) -> int:
        """Return a number of each point, added up."""
        return sum(number(point) for point in self.points)

    def middle(self, value: Callable[[PointRecord], float]) -> float:
        """Return the median of a value of the points, each as often as it was called."""
        ranked = sorted(self.points, key=value)
        half, calls = self.total(lambda point: point.count) / 2, 0
        for point in ranked:
            calls += point.count
            if calls >= half:
                return value(point)
        return value(self.first)


def rows_of(points: Sequence[PointRecord]) -> list[PointRow]:
    """Return the points by their lines, hidden synchronizations first, then by the time they blocked."""
    together: dict[Key, list[PointRecord]] = {}
    for point in points:
        key = (point.kind, point.call, point.file, point.line, point.function, point.through)
        together.setdefault(key, []).append(point)
    rows = [PointRow(tuple(sorted(each, key=lambda point: -point.blocked_s))) for each in together.values()]
    return sorted(rows, key=lambda row: (not row.hidden, -row.blocked_s))
