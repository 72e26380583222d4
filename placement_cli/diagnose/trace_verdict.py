"""The one sentence that a trace comes down to: what the program waited for, where, and what is worst about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from placement_cli.diagnose.finding import SEVERITIES, Finding
from placement_cli.diagnose.program.running import Ran
from placement_cli.tracing.raw import READING_KINDS, WAITING_KINDS, RawPoint, RawProcess
from placement_cli.units import format_duration, format_percent

BLOCKING_KINDS = WAITING_KINDS | {"synchronize"}
"""Kinds of points whose time is time waited; `async_eval` and others take time, but to work."""
LOST = "Nothing was recorded: the program was ended before a process of it with MLX had written anything down."
UNREADABLE = "Nothing can be said: of what was recorded nothing can be read."


@dataclass(frozen=True, slots=True)
class Waiting:
    """What one thread waited for: the points where it did, the most blocked first, and their share of its time."""

    process: RawProcess
    thread: str
    points: tuple[RawPoint, ...]

    @property
    def blocked_s(self) -> float:
        """Seconds in all."""
        return sum(point.blocked_s for point in self.points)

    @property
    def share(self) -> float:
        """The part of the process's time, 0 where that is not known; never above 1."""
        return min(1.0, self.blocked_s / self.process.duration_s) if self.process.duration_s > 0 else 0.0


def is_hidden(point: RawPoint) -> bool:
    """Tell whether a point reads values and evaluated them on the way, without saying so."""
    return point.kind in READING_KINDS and point.pending_calls > 0


def verdict_of(ran: Ran, findings: Sequence[Finding]) -> str:
    """Return what dominates the run, and the worst of what is wrong where something is: two sentences at most."""
    told = _told(ran)
    wrong = [finding for finding in findings if finding.severity != "note"]
    if not wrong:
        return told
    worst = min(wrong, key=lambda finding: SEVERITIES.index(finding.severity))
    where = "" if worst.file is None else f" at {place_text(worst.file, worst.line)}"
    return f"{told} The worst finding is {worst.code} {worst.name}{where}."


def place_text(file: str, line: int | None) -> str:
    """Return a place by the name of its file, such as `train.py:12`."""
    name = PurePath(file).name
    return name if line is None else f"{name}:{line}"


def _told(ran: Ran) -> str:
    if not ran.processes and ran.passed_over:
        return UNREADABLE
    if not ran.processes and (ran.signal is not None or ran.timed_out):
        return LOST
    # A process without MLX leaves no record, or one that says so.
    if not any(process.mlx for process in ran.processes):
        return f"No process of this program imported MLX: in {format_duration(ran.wall_s)} there was nothing to record."
    waits = waits_of(ran.processes)
    if not waits:
        return "MLX was imported, and nothing waited for it."
    most = max(waits, key=lambda waiting: waiting.blocked_s)
    return _waited(most, _subject(most, waits, ran.processes))


def waits_of(processes: Sequence[RawProcess]) -> list[Waiting]:
    """Return what each thread of each process waited for; threads that never did are left out."""
    found = []
    for process in processes:
        threads: dict[str, list[RawPoint]] = defaultdict(list)
        for point in process.points:
            if point.kind in BLOCKING_KINDS:
                threads[point.thread].append(point)
        for thread, points in threads.items():
            ranked = sorted(points, key=lambda point: point.blocked_s, reverse=True)
            found.append(Waiting(process, thread, tuple(ranked)))
    return found


def _subject(most: Waiting, waits: Sequence[Waiting], processes: Sequence[RawProcess]) -> str:
    """Name the thread that waited most, as far as there are others."""
    threads = {waiting.thread for waiting in waits if waiting.process is most.process}
    process = f"process {most.process.pid}" if sum(bool(each.mlx) for each in processes) > 1 else ""
    if len(threads) > 1:
        return f"Thread {most.thread}" + (f" of {process}" if process else "")
    return process.capitalize() or "The program"


def _waited(most: Waiting, subject: str) -> str:
    first = most.points[0]
    where = place_text(first.place.file, first.place.line)
    hidden = ", hidden" if is_hidden(first) else ""
    spent = f"{format_percent(most.share)} of {format_duration(most.process.duration_s)}"
    if len(most.points) == 1:
        return f"{subject} waited for MLX {spent}, at one point: {where} ({first.kind}{hidden})."
    part = first.blocked_s / most.blocked_s if most.blocked_s > 0 else 0.0
    return (
        f"{subject} waited for MLX {spent}, at {len(most.points)} points: {format_percent(part)} of that at "
        f"{where} ({first.kind}{hidden})."
    )
