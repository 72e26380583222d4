"""PL207 queue-stall, PL405 cold-start, and PL901 for functions that are compiled again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from placement_cli.diagnose.findings.seen import Seen, at, counted, evaluating, function_of, run_share, seen
from placement_cli.diagnose.findings.thresholds import (
    COLD_CALLS,
    COLD_TIMES,
    MAJORITY,
    RETRACES,
    SHORT_CALLS,
    STALL_S,
    STALL_SHARE,
    STALL_TIMES,
    STALLS,
    WORTH_S,
)
from placement_cli.tracing.raw import RawCompiled, RawPoint, RawProcess
from placement_cli.units import format_duration, format_percent


def stalls(process: RawProcess) -> Iterator[Seen]:
    """Yield submissions that blocked, first calls that took long, and functions compiled anew with the messages."""
    for point in process.points:
        if point.kind == "async_eval":
            yield from _stalled(process, point)
    for point in evaluating(process):
        yield from _cold(process, point)
    yield from _recompiled(process)


def _stalled(process: RawProcess, point: RawPoint) -> Iterator[Seen]:
    later = point.durations_s[1:]
    if not later:
        return
    short_s = _short(later)
    long = [each for each in later if each >= max(STALL_S, STALL_TIMES * short_s)]
    excess_s = sum(each - short_s for each in long) * point.count / len(point.durations_s)
    share = run_share(process, excess_s)
    if len(long) >= STALLS and share >= STALL_SHARE:
        calls = round(len(long) * point.count / len(point.durations_s))
        yield _queue(process, point, calls, short_s, excess_s)


def _short(durations: Sequence[float]) -> float:
    """Return how long a call takes that does not wait."""
    return sorted(durations)[int(SHORT_CALLS * (len(durations) - 1))]


def _queue(process: RawProcess, point: RawPoint, calls: int, short_s: float, excess_s: float) -> Seen:
    share = run_share(process, excess_s)
    return seen(
        "PL207",
        "note",
        point.place,
        node=function_of(point.place),
        says=(
            f"About {calls:,} of {counted(point.count, 'call')} of {point.call} blocked the host, for "
            f"{format_duration(excess_s)} in all ({format_percent(share)} of the run), where short ones take "
            f"{format_duration(short_s)}: the backend took no more work."
        ),
        fix=(
            "Nothing is lost where the device sets the pace; to wait at a place of your choice, and with the memory "
            f"bounded, use placement_cli.RunAheadWindow at {at(point.place)}."
        ),
        next_check="placement diagnose --probe back-pressure.dispatches",
        stake=share,
        thread=point.thread,
        stalls=calls,
        calls=point.count,
        excess_s=excess_s,
        short_s=short_s,
    )


def _cold(process: RawProcess, point: RawPoint) -> Iterator[Seen]:
    later = point.durations_s[1:]
    if len(later) < COLD_CALLS - 1:
        return
    usual_s = median(later)
    if point.first_s < COLD_TIMES * usual_s or point.first_s - usual_s < WORTH_S:
        return
    yield seen(
        "PL405",
        "note",
        point.place,
        node=function_of(point.place),
        says=(
            f"The first of {counted(point.count, 'call')} of {point.call} took {format_duration(point.first_s)}, later "
            f"ones {format_duration(usual_s)} in the median."
        ),
        fix=(
            f"Before going live send a message of every shape through {at(point.place)} and wait for it, and leave the "
            "first call out of what you time."
        ),
        next_check="placement diagnose --probe timing.first-use",
        stake=run_share(process, point.first_s - usual_s),
        thread=point.thread,
        first_s=point.first_s,
        later_s=usual_s,
        calls=point.count,
    )


def _recompiled(process: RawProcess) -> Iterator[Seen]:
    """Yield functions that were traced for most of their calls; given to mx.compile again they are the same one."""
    functions: dict[tuple[str, str, int], list[RawCompiled]] = {}
    for each in process.compiled:
        if each.place.through:
            continue  # A library compiles it, and the program can do nothing about that.
        functions.setdefault((each.function, each.place.file, each.place.line), []).append(each)
    for alike in functions.values():
        calls, traces = sum(each.calls for each in alike), sum(each.traces for each in alike)
        if traces >= RETRACES and traces >= MAJORITY * calls:
            yield _traced(process, alike[0], calls, traces)


def _traced(process: RawProcess, compiled: RawCompiled, calls: int, traces: int) -> Seen:
    tracing_s = sum(
        point.blocked_s for point in process.points if point.kind == "compile" and point.place == compiled.place
    )
    name = " ".join(compiled.function.split())
    return seen(
        "PL901",
        "warning",
        compiled.place,
        node=compiled.function,
        says=(
            f"`{name}` was traced {counted(traces, 'time')} in {counted(calls, 'call')}: mx.compile keeps one "
            "program for every new shape, type and Python number, or this line compiles it anew each time."
        ),
        fix=(
            f"Compile `{name}` once, outside the loop; pad its inputs to a few lengths, and pass numbers that change "
            f"as arrays ({at(compiled.place)})."
        ),
        next_check="placement diagnose --probe timing.retrace",
        stake=run_share(process, tracing_s),
        aspect="compile",
        traces=traces,
        calls=calls,
    )
