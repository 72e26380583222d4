"""The chain of a program, its first links: who builds, who schedules, and who waits for what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from placement_cli.diagnose.findings.seen import at, counted, evaluated_calls
from placement_cli.diagnose.report.subject import together
from placement_cli.diagnose.trace_verdict import BLOCKING_KINDS, is_hidden
from placement_cli.store.diagnosis_document import ChainLink, Link
from placement_cli.tracing.raw import EVALUATING_KINDS, Place, RawBuild, RawPoint, RawProcess
from placement_cli.units import format_duration, format_percent

TOP = 2
"""So many places are named in a link."""


def producer(process: RawProcess) -> ChainLink:
    """Return which lines build most, how many operations, in which thread and on which stream."""
    total = sum(build.ops for build in process.builds)
    if not total:
        return _unseen("producer", "No operation was seen being built.")
    lines = Counter[tuple[str, int]]()
    for build in process.builds:
        lines[build.place.file, build.place.line] += build.ops
    named = [
        f"{at(Place(file, line, ''))} ({ops:,}: {_names(process.builds, file, line)})"
        for (file, line), ops in lines.most_common(TOP)
    ]
    threads = {build.thread for build in process.builds}
    about = "About " if any(build.sampled for build in process.builds) else ""
    return _seen(
        "producer",
        f"{about}{counted(total, 'operation')} built, most at {' and '.join(named)}, "
        f"in {_threads(threads)}{_streams(process, threads)}.",
    )


def evaluation(process: RawProcess) -> ChainLink:
    """Return which points schedule what was built, how often, and how many arrays a call is given."""
    points = [point for point in process.points if point.kind in EVALUATING_KINDS]
    scheduling = sorted(filter(_schedules, points), key=lambda point: -point.count)
    empty = [point for point in points if point.empty_calls]
    nothing = "".join(
        f" {point.call} at {at(point.place)} received no array in {point.empty_calls:,} of "
        f"{counted(point.count, 'call')}."
        for point in empty[:1]
    )
    failed = [point for point in points if point.failed]
    nothing += "".join(
        f" {point.call} at {at(point.place)} failed in {counted(point.failed, 'call')}." for point in failed[:1]
    )
    if not scheduling:
        return _unseen("evaluation", f"No call was seen that schedules anything.{nothing}")
    named = [
        f"{point.call} at {at(point.place)} ({counted(point.count, 'call')} with {counted(point.arrays, 'array')})"
        for point in scheduling[:TOP]
    ]
    return _seen("evaluation", f"Scheduled by {' and '.join(named)}{_others(scheduling)}.{nothing}")


def wait(process: RawProcess) -> ChainLink:
    """Return which points wait, for how long, which of them hide that, and which streams are involved."""
    points = [point for point in process.points if point.kind in BLOCKING_KINDS and point.count]
    waiting = sorted(points, key=lambda point: -point.blocked_s)
    if not waiting:
        return _unseen("wait", f"No call was seen that waits for anything.{_missed(process)}")
    total_s = sum(point.blocked_s for point in waiting)
    share = f" ({format_percent(total_s / process.duration_s)} of the run)" if process.duration_s > 0 else ""
    named = [
        f"{point.call} at {at(point.place)} {format_duration(point.blocked_s)} in {counted(point.count, 'call')}"
        f"{', hidden' if is_hidden(point) else ''}"
        for point in waiting[:TOP]
    ]
    return _seen(
        "wait",
        f"{format_duration(total_s)} waited{share}: {'; '.join(named)}{_others(waiting)}."
        f"{_missed(process)}{_crossed(process)}",
    )


def _names(builds: Sequence[RawBuild], file: str, line: int) -> str:
    here = sorted((each for each in builds if (each.place.file, each.place.line) == (file, line)), key=lambda e: -e.ops)
    return together(name for build in here for name in build.names) or "not named"


def _threads(threads: set[str]) -> str:
    named = together(sorted(thread or "without a name" for thread in threads))
    return f"thread {named}" if len(threads) == 1 else f"{len(threads)} threads ({named})"


def _streams(process: RawProcess, threads: set[str]) -> str:
    """Say on which streams these threads evaluate: a line that builds does not tell the stream by itself."""
    points = (point for point in process.points if point.kind in EVALUATING_KINDS and point.thread in threads)
    streams = sorted({point.stream for point in points if point.stream})
    return f", evaluated under {together(streams)}" if streams else ", on which stream was not seen"


def _schedules(point: RawPoint) -> bool:
    """Whether a point computes what is lazy; a wait for what was submitted before does not."""
    if point.empty_calls >= point.count:  # None of its calls came to an end with an array.
        return False
    return point.kind == "async_eval" or not point.checked_calls or evaluated_calls(point) > 0


def _others(points: Sequence[RawPoint]) -> str:
    return f", and at {counted(len(points) - TOP, 'further point')}" if len(points) > TOP else ""


def _missed(process: RawProcess) -> str:
    for miss in process.misses[:1]:
        return (
            f" mx.synchronize at {at(miss.place)} waited for {miss.synchronized} while {miss.uncovered} had work, in "
            f"{counted(miss.count, 'call')}."
        )
    return ""


def _crossed(process: RawProcess) -> str:
    """Say which streams were involved: what one waits for from another is MLX's matter, and cannot be seen."""
    streams = {point.stream for point in process.points if point.stream}
    streams |= {name for miss in process.misses for name in (miss.synchronized, miss.uncovered) if name}
    if len(streams) < 2:
        return ""
    return f" {len(streams)} streams were in use; what crosses between them is not visible from Python."


def _seen(link: Link, says: str) -> ChainLink:
    return ChainLink(link=link, says=says, seen=True)


def _unseen(link: Link, says: str) -> ChainLink:
    return ChainLink(link=link, says=f"Not seen. {says}", seen=False)
