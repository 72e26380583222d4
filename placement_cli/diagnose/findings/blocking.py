"""PL204 blocking: waits that overlap could save. PL206 fan-out: evaluations one by one."""

from __future__ import annotations

from collections.abc import Iterator

from placement_cli.diagnose.finding import Severity
from placement_cli.diagnose.findings.seen import Seen, at, counted, evaluated_calls, function_of, run_share, seen
from placement_cli.diagnose.findings.thresholds import LOOP_S, MAJORITY, OVERLAP_SHARE, REPEATED, WORTH_S
from placement_cli.tracing.raw import READING_KINDS, WAITING_KINDS, RawPoint, RawProcess, RawStep
from placement_cli.units import format_duration, format_percent


def blocking(process: RawProcess) -> Iterator[Seen]:
    """Yield waits in a loop that overlap could save, blocked asyncio loops, and evaluations one by one."""
    for index, point in enumerate(process.points):
        if _could_overlap(point):
            read = _read_after(process, index)
            yield _waits(process, point) if read is None else _read(process, point, read)
        if point.kind in WAITING_KINDS | {"synchronize"} and point.loop_blocked_s >= LOOP_S:
            yield _loop(process, point)
    for step in process.steps:
        if _one_by_one(process, step):
            yield _singly(process, step)


def _worked_s(point: RawPoint) -> float:
    """Return how long the host worked before the calls, without what it slept or waited for a source."""
    return point.host_before_s * point.host_busy


def _saved_s(point: RawPoint) -> float:
    """Return what overlapping host work and waiting could save: the shorter of the two."""
    return min(_worked_s(point), point.blocked_s)


def _cycle_share(point: RawPoint) -> float:
    """Return what could be saved as a share of the time from the first call to the last."""
    cycles_s = max(point.last_at_s - point.first_at_s, point.host_before_s + point.blocked_s)
    return _saved_s(point) / cycles_s if cycles_s > 0 else 0.0


def _could_overlap(point: RawPoint) -> bool:
    if point.kind != "eval" or point.count < REPEATED or point.clocked_calls > MAJORITY * point.count:
        return False
    if evaluated_calls(point) <= MAJORITY * point.count:
        return False  # It waits for what was submitted before: work and waiting overlap already.
    if point.zero_size_calls > MAJORITY * point.count:
        return False  # There is next to nothing to wait for; PL103 tells what that means.
    return _saved_s(point) >= WORTH_S and _cycle_share(point) >= OVERLAP_SHARE


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


def _numbers(point: RawPoint) -> str:
    return (
        f"{counted(point.count, 'call')} of {point.call} waited {format_duration(point.blocked_s)} in all, and the "
        f"host worked {format_duration(_worked_s(point))} between them: the shorter of the two, "
        f"{format_percent(_cycle_share(point))} of the cycle, is what overlap could save"
    )


def _waits(process: RawProcess, point: RawPoint) -> Seen:
    return _told(
        process,
        point,
        "warning",
        f"{_numbers(point)}.",
        f"At {at(point.place)} call mx.async_eval, or placement_cli.RunAheadWindow(1), instead of {point.call}: that "
        "waits for the message before and bounds the memory in flight. Keep it where its values are needed at once.",
    )


def _read(process: RawProcess, point: RawPoint, read: RawPoint) -> Seen:
    return _told(
        process,
        point,
        "note",
        f"{_numbers(point)}; but the values are read at once, by {read.call} at {at(read.place)}.",
        f"Where one message of delay is allowed, call mx.async_eval at {at(point.place)} and read the message before "
        f"at {at(read.place)}; else leave it.",
    )


def _told(process: RawProcess, point: RawPoint, severity: Severity, says: str, fix: str) -> Seen:
    share = run_share(process, _saved_s(point))
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
        stake=share,
        thread=point.thread,
        blocked_s=point.blocked_s,
        host_s=_worked_s(point),
        saved_s=_saved_s(point),
        cycle_share=_cycle_share(point),
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
