"""PL204 blocking: waits that overlap could save. PL206 fan-out: evaluations one by one."""

from __future__ import annotations

from collections.abc import Iterator

from placement_cli.diagnose.finding import Severity
from placement_cli.diagnose.findings.overlap import Overlap, overlap_at
from placement_cli.diagnose.findings.seen import (
    Seen,
    at,
    counted,
    evaluated_calls,
    function_of,
    listed,
    run_share,
    seen,
)
from placement_cli.diagnose.findings.thresholds import LOOP_S, MAJORITY, OVERLAP_SHARE, REPEATED, WORTH_S
from placement_cli.tracing.raw import EVALUATING_KINDS, READING_KINDS, WAITING_KINDS, RawPoint, RawProcess, RawStep
from placement_cli.units import format_duration, format_percent


def blocking(process: RawProcess) -> Iterator[Seen]:
    """Yield waits in a loop that overlap could save, blocked asyncio loops, and evaluations one by one."""
    for index, point in enumerate(process.points):
        if _waits_for_new(point):
            overlap = overlap_at(process, index)
            if overlap.saved_s >= WORTH_S and overlap.share >= OVERLAP_SHARE:
                yield _could_overlap(process, overlap, _read_after(process, index))
        if point.kind in WAITING_KINDS | {"synchronize"} and point.loop_blocked_s >= LOOP_S:
            yield _loop(process, point)
    for step in process.steps:
        if _one_by_one(process, step):
            yield _singly(process, step)


def _could_overlap(process: RawProcess, overlap: Overlap, read: RawPoint | None) -> Seen:
    """Tell of a wait: a note where its values are read at once, or where other threads use the time."""
    if read is not None:
        return _read(process, overlap, read)
    others = _elsewhere(process, overlap.point)
    return _shared(process, overlap, others) if others else _waits(process, overlap)


def _waits_for_new(point: RawPoint) -> bool:
    """Whether a point waits again and again for what nothing had submitted before, and not to measure it."""
    if point.kind != "eval" or point.count < REPEATED or point.clocked_calls > MAJORITY * point.count:
        return False
    if evaluated_calls(point) <= MAJORITY * point.count:
        return False  # It waits for what was submitted before: work and waiting overlap already.
    # Of empty messages there is next to nothing to wait for; PL103 tells what they mean.
    return point.zero_size_calls <= MAJORITY * point.count


def _read_after(process: RawProcess, index: int) -> RawPoint | None:
    """Return the point that reads what the point evaluated, where that is the rule."""
    same = {
        step.after: step.same
        for step in process.steps
        if step.before == index
        and 0 <= step.after < len(process.points)
        and process.points[step.after].kind in READING_KINDS
    }
    if sum(same.values()) <= MAJORITY * process.points[index].count:
        return None
    return process.points[max(same, key=lambda after: same[after])]


def _elsewhere(process: RawProcess, point: RawPoint) -> list[str]:
    """Return the other threads that evaluate all the while: the host works there as one thread waits."""
    others = (each for each in process.points if each.thread != point.thread and each.kind in EVALUATING_KINDS)
    during = (each for each in others if each.first_at_s < point.last_at_s and each.last_at_s > point.first_at_s)
    return sorted({each.thread for each in during if each.count >= REPEATED})


def _numbers(overlap: Overlap) -> str:
    point = overlap.point
    return (
        f"{counted(point.count, 'call')} of {point.call} waited {format_duration(overlap.waited_s)} after the first, "
        f"and the host worked {format_duration(overlap.worked_s)} between them: the shorter of the two, "
        f"{format_percent(overlap.share)} of the cycle, is what overlap could save at best"
    )


def _waits(process: RawProcess, overlap: Overlap) -> Seen:
    point = overlap.point
    return _told(
        process,
        overlap,
        "warning",
        f"{_numbers(overlap)}.",
        f"At {at(point.place)} call mx.async_eval, or placement_cli.RunAheadWindow(1), instead of {point.call}: that "
        "waits for the message before and bounds the memory in flight. Keep it where its values are needed at once.",
    )


def _read(process: RawProcess, overlap: Overlap, read: RawPoint) -> Seen:
    point = overlap.point
    return _told(
        process,
        overlap,
        "note",
        f"{_numbers(overlap)}; but the values are read at once, by {read.call} at {at(read.place)}.",
        f"Where one message of delay is allowed, call mx.async_eval at {at(point.place)} and read the message before "
        f"at {at(read.place)}; else leave it.",
    )


def _shared(process: RawProcess, overlap: Overlap, others: list[str]) -> Seen:
    point = overlap.point
    return _told(
        process,
        overlap,
        "note",
        f"{_numbers(overlap)}; but {listed(others)} evaluated in the same time, so that the host need not have idled.",
        f"Where this thread sets the pace, call mx.async_eval at {at(point.place)}; what is scheduled may be handed to "
        "another thread. Else leave it.",
    )


def _told(process: RawProcess, overlap: Overlap, severity: Severity, says: str, fix: str) -> Seen:
    point = overlap.point
    return seen(
        "PL204",
        severity,
        point.place,
        node=function_of(point.place),
        says=says,
        fix=fix,
        next_check=(
            "window = placement_cli.RunAheadWindow(1)  # before the loop\n"
            f"window(...)  # at line {point.place.line}, with what {point.call} is given there\n"
            "# then trace again and compare the time of the run"
        ),
        stake=run_share(process, overlap.saved_s),
        thread=point.thread,
        blocked_s=point.blocked_s,
        host_s=overlap.worked_s,
        saved_s=overlap.saved_s,
        cycle_share=overlap.share,
        calls=point.count,
    )


def _loop(process: RawProcess, point: RawPoint) -> Seen:
    """Tell of a blocked loop: a warning where calls block it so long in the mean, a note where one did."""
    later_s = (point.blocked_s - point.longest_s) / (point.count - 1) if point.count > 1 else 0.0
    severity: Severity = "warning" if later_s >= LOOP_S else "note"
    return seen(
        "PL204",
        severity,
        point.place,
        node=function_of(point.place),
        says=(
            f"{point.call} blocked the asyncio loop of this thread for up to {format_duration(point.loop_blocked_s)}, "
            f"and for {format_duration(point.blocked_s)} in {counted(point.count, 'call')}: no other task ran."
        ),
        fix=(
            f"At {at(point.place)} call mx.async_eval(x) and then `await asyncio.to_thread(mx.eval, x)`: what is "
            "scheduled may be waited for in another thread."
        ),
        next_check="mx.async_eval(x)\n"
        f"await asyncio.to_thread(mx.eval, x)  # at line {point.place.line}, x being what is read there",
        stake=run_share(process, point.blocked_s),
        aspect="asyncio",
        thread=point.thread,
        longest_s=point.loop_blocked_s,
        blocked_s=point.blocked_s,
        calls=point.count,
    )


def _one_by_one(process: RawProcess, step: RawStep) -> bool:
    if step.ops > 0 or step.count < REPEATED or step.same > MAJORITY * step.count:
        return False
    points = process.points
    return all(0 <= index < len(points) and points[index].kind == "eval" for index in (step.before, step.after))


def _singly(process: RawProcess, step: RawStep) -> Seen:
    first, second = process.points[step.before], process.points[step.after]
    where = f"the call at {at(first.place)}" if step.before != step.after else "the call before it"
    return seen(
        "PL206",
        "note",
        second.place,
        node=function_of(second.place),
        says=(
            f"{second.call} followed {where} {counted(step.count, 'time')} with no operation built in between: what "
            "one call could evaluate is evaluated one by one."
        ),
        fix=f"Give all of it to one call, mx.eval(a, b, ...), at {at(second.place)}.",
        next_check=f"mx.eval(...)  # at line {second.place.line}, once, with the arrays of all these calls",
        stake=run_share(process, second.blocked_s),
        thread=second.thread,
        times=step.count,
        before=at(first.place),
    )
