"""What a trace comes down to, in a sentence or two: what the program waited for, where, and what is worst about it."""

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
FEW = 2
"""Of more threads than these the verdict says how many there were."""


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
    # A process without MLX leaves no record, or one that says so; a process without our variables leaves none either.
    if not any(process.mlx for process in ran.processes):
        wall = format_duration(ran.wall_s)
        return f"No process of this program imported MLX, as far as they were traced: nothing to record in {wall}."
    waits = waits_of(ran.processes)
    if not waits:
        return _unfinished(ran.processes) or "MLX was imported, and nothing waited for it."
    most = max(waits, key=lambda waiting: waiting.blocked_s)
    return f"{_who(most, waits, ran.processes)} {_waited(most)}"


def _unfinished(processes: Sequence[RawProcess]) -> str:
    """Tell of a call that was under way when a record ended; nothing where there is none."""
    points = (point for process in processes for point in process.points if point.kind in BLOCKING_KINDS)
    for point in points:
        if not point.count and not point.failed:
            where = place_text(point.place.file, point.place.line)
            return f"The record ends in the first call that waited for MLX, at {where} ({point.kind})."
    return ""


def waits_of(processes: Sequence[RawProcess]) -> list[Waiting]:
    """Return what each thread of each process waited for; threads without a call that came to its end are left out."""
    found = []
    for process in processes:
        threads: dict[str, list[RawPoint]] = defaultdict(list)
        for point in process.points:
            if point.kind in BLOCKING_KINDS and point.count:
                threads[point.thread].append(point)
        for thread, points in threads.items():
            ranked = sorted(points, key=lambda point: point.blocked_s, reverse=True)
            found.append(Waiting(process, thread, tuple(ranked)))
    return found


def _who(most: Waiting, waits: Sequence[Waiting], processes: Sequence[RawProcess]) -> str:
    """Say who waited: the program, or the thread that waited longest, and of how many where these are many."""
    threads = {waiting.thread for waiting in waits if waiting.process is most.process}
    process = f"process {most.process.pid}" if sum(bool(each.mlx) for each in processes) > 1 else ""
    thread = f"thread {most.thread}" if len(threads) > 1 else ""
    name = " of ".join(filter(None, (thread, process)))
    if len(waits) > FEW:
        total = format_duration(sum(waiting.blocked_s for waiting in waits))
        return f"Of {_waiters(waits)} that waited for MLX ({total} in all) {name} waited longest:"
    return f"{name[:1].upper()}{name[1:] or 'The program'} waited for MLX"


def _waiters(waits: Sequence[Waiting]) -> str:
    """Return how many threads waited, or processes where each had one that did."""
    processes = len({id(waiting.process) for waiting in waits})
    if processes == len(waits):
        return f"{processes:,} processes"
    return f"{len(waits):,} threads" + (f" in {processes:,} processes" if processes > 1 else "")


def _waited(most: Waiting) -> str:
    first = most.points[0]
    where = place_text(first.place.file, first.place.line)
    hidden = ", hidden" if is_hidden(first) else ""
    spent = f"{format_percent(most.share)} of {format_duration(most.process.duration_s)}"
    if len(most.points) == 1:
        return f"{spent}, at one point: {where} ({first.kind}{hidden})."
    part = first.blocked_s / most.blocked_s if most.blocked_s > 0 else 0.0
    return f"{spent}, at {len(most.points):,} points: {format_percent(part)} of that at {where} ({first.kind}{hidden})."
