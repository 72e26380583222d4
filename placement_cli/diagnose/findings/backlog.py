"""PL101 growth, seen from its end: one evaluation that computes what a long loop built."""

from __future__ import annotations

from collections.abc import Iterator

from placement_cli.diagnose.finding import Severity
from placement_cli.diagnose.findings.seen import (
    Seen,
    active_growth,
    at,
    counted,
    evaluating,
    function_of,
    run_share,
    seen,
)
from placement_cli.diagnose.findings.thresholds import (
    BACKLOG_OPS,
    KEPT_BYTES,
    LARGE_BACKLOG_OPS,
    LOOPED_OPS,
    MAJORITY,
    RUN_SHARE,
    WORTH_S,
)
from placement_cli.tracing.raw import Place, RawBuild, RawPoint, RawProcess
from placement_cli.units import format_duration, format_percent, format_size


def backlog(process: RawProcess) -> Iterator[Seen]:
    """Yield PL101 for the place that computed a backlog."""
    point = backlog_of(process)
    if point is not None:
        yield _told(process, point)


def backlog_of(process: RawProcess) -> RawPoint | None:
    """Return the point that computed most of what its thread built, from a line that ran thousands of times.

    A large model is no backlog: it has many lines, and none builds so much for one evaluation.
    """
    found = [point for point in evaluating(process) if _is_backlog(process, point)]
    return max(found, key=lambda point: point.blocked_s, default=None)


def _is_backlog(process: RawProcess, point: RawPoint) -> bool:
    busiest = _busiest(process, point)
    if busiest is None or point.count < 1 or point.ops_before < BACKLOG_OPS * point.count:
        return False
    built = sum(build.ops for build in process.builds if build.thread == point.thread)
    long = point.blocked_s >= WORTH_S and run_share(process, point.blocked_s) >= RUN_SHARE
    return long and point.ops_before > MAJORITY * built and busiest.ops >= LOOPED_OPS * point.count


def _busiest(process: RawProcess, point: RawPoint) -> RawBuild | None:
    builds = (build for build in process.builds if build.thread == point.thread)
    return max(builds, key=lambda build: build.ops, default=None)


def _loop_line(process: RawProcess, point: RawPoint) -> Place:
    """Return the line that built most: each operation written on it was counted by itself."""
    lines: dict[tuple[str, int], list[RawBuild]] = {}
    for build in process.builds:
        if build.thread == point.thread:
            lines.setdefault((build.place.file, build.place.line), []).append(build)
    most = max(lines.values(), key=lambda builds: sum(build.ops for build in builds), default=[])
    return most[0].place if most else point.place


def _told(process: RawProcess, point: RawPoint) -> Seen:
    """Tell it at the line that built most of it, where the loop is."""
    place = _loop_line(process, point)
    ops, share, held = point.ops_before / point.count, run_share(process, point.blocked_s), active_growth(process)
    severity: Severity = "warning" if ops >= LARGE_BACKLOG_OPS or held >= KEPT_BYTES else "note"
    calls = "" if point.count == 1 else f" in each of {counted(point.count, 'call')} in the mean"
    says = (
        f"Nothing in the loop around this line evaluates: the backlog of {counted(ops, 'operation')} was computed at "
        f"{at(point.place)}{calls}, in {format_duration(point.blocked_s)} ({format_percent(share)} of the run)."
    )
    if held >= KEPT_BYTES:
        says += f" Active memory rose by {format_size(held)} in the run."
    return seen(
        "PL101",
        severity,
        place,
        node=function_of(place),
        says=says,
        fix=(
            f"Evaluate what the loop around {at(place)} carries on every hundredth step or so "
            "(placement_cli.EvaluateEvery, or mx.eval); where it ends soon, leaving it to the end is fine."
        ),
        next_check=(
            f"if step % 100 == 0: mx.eval(...)  # in the loop around {at(place)}, with what it carries; "
            "then trace again and compare the time of the run and its peak memory"
        ),
        stake=share,
        aspect="backlog",
        thread=point.thread,
        ops=ops,
        blocked_s=point.blocked_s,
        calls=point.count,
        computed_at=at(point.place),
        active_growth_bytes=held,
    )
