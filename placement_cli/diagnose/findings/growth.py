"""PL101 growth, PL102 side-state: operations that pile up behind a variable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from placement_cli.diagnose.finding import Severity
from placement_cli.diagnose.findings.backlog import backlog_of
from placement_cli.diagnose.findings.seen import Seen, at, counted, evaluating, listed, memory_share, seen
from placement_cli.diagnose.findings.thresholds import (
    BUFFERS,
    GREW_OPS,
    GREW_TIMES,
    JUST_COUNTED,
    KEPT_BYTES,
    LOOKS,
    MAJORITY,
    MANY_OPS,
    MOST,
    REPEATED,
    SAME_CHAIN,
    STEADY,
    TICK_S,
)
from placement_cli.tracing.raw import LazySample, Place, RawLazy, RawProcess
from placement_cli.units import format_duration, format_size


def growth(process: RawProcess, *, pins: bool = True) -> Iterator[Seen]:
    """Yield one finding for each function and cause whose variables pile up operations.

    `pins` says whether that may be why active memory rises, and not a container of lazy arrays.
    """
    for alike in by_function(growing(process)):
        yield _told(process, alike, pins)


def by_function(lazies: Iterable[RawLazy]) -> list[list[RawLazy]]:
    """Return variables in groups that are built in the same function."""
    groups: dict[tuple[str, str], list[RawLazy]] = {}
    for lazy in lazies:
        groups.setdefault((place_of(lazy).file, place_of(lazy).function), []).append(lazy)
    return list(groups.values())


def growing(process: RawProcess) -> list[RawLazy]:
    """Return the variables whose pending operations rose from look to look and never fell."""
    return [lazy for lazy in process.lazy if _grows(lazy)]


def passed_over(process: RawProcess) -> bool:
    """Whether most explicit evaluations were given an object whose arrays MLX does not find: PL503 tells that."""
    calls = [point for point in process.points if point.kind in {"eval", "async_eval"}]
    empty = sum(point.empty_calls for point in calls if any("(" in text for text in point.receivers))
    return empty >= REPEATED and empty > MAJORITY * sum(point.count for point in calls)


def while_lazy(lazy: RawLazy) -> Sequence[LazySample]:
    """Return the looks from the first to the last at which something was pending.

    What is evaluated before it grows, or once when all is over, is no cycle.
    """
    numbers = [number for number, look in enumerate(lazy.looks) if look.ops > 0]
    return lazy.looks[numbers[0] : numbers[-1] + 1] if numbers else ()


def _grows(lazy: RawLazy) -> bool:
    looks = while_lazy(lazy)
    ops = [look.ops for look in looks]
    if not _counted_enough(lazy, len(set(ops))) or any(after < before for before, after in pairwise(ops)):
        return False
    if any(look.ops == 0 and looks[-1].at_s < look.at_s < lazy.last_at_s for look in lazy.looks):
        return False  # It was evaluated, and was lazy again later.
    lasted = max(looks[-1].at_s, lazy.last_at_s) - looks[0].at_s
    if lasted <= MAJORITY * (lazy.looks[-1].at_s - lazy.looks[0].at_s):
        return False
    return ops[-1] >= max(GREW_TIMES * ops[0], GREW_OPS) and _steady(looks)


def _counted_enough(lazy: RawLazy, values: int) -> bool:
    """Whether there are enough different counts, or enough looks right after evaluations that left it lazy.

    What grows fast is counted only a few times, since counting takes long; but no evaluation was seen to compute it.
    """
    return values >= LOOKS or (values > 1 and lazy.after >= LOOKS)


def _steady(looks: Sequence[LazySample]) -> bool:
    """Whether growth kept pace with the evaluations, where there were some between all looks.

    What is evaluated now and then, and looked at in between, rises by chance, but not evenly.
    """
    steps = [(after.ops - before.ops, after.evaluations - before.evaluations) for before, after in pairwise(looks)]
    if any(evaluations <= 0 for _, evaluations in steps):
        return True
    mean = (looks[-1].ops - looks[0].ops) / (looks[-1].evaluations - looks[0].evaluations)
    even = sum(mean / STEADY <= ops / evaluations <= mean * STEADY for ops, evaluations in steps)
    return even >= MOST * len(steps)


def place_of(lazy: RawLazy) -> Place:
    """Return the line that builds a variable, or else the function it is in."""
    return lazy.built or lazy.place


def _evaluations(looks: Sequence[LazySample]) -> int:
    return looks[-1].evaluations - looks[0].evaluations


def _told(process: RawProcess, alike: Sequence[RawLazy], pins: bool) -> Seen:
    """Tell the variables of one function together; the line is that of the one the others are made from."""
    root = root_of(alike)
    looks, place = while_lazy(root), place_of(root)
    code = "PL102" if _evaluations(looks) > 0 else "PL101"
    most = max(_most(lazy) for lazy in alike)
    held = active_between(process, looks) if pins else 0
    severity: Severity = "warning" if most >= MANY_OPS or held >= KEPT_BYTES else "note"
    says = f"{_risen(root, looks)}{_then(root, looks)} {_cause(process, code, looks)}"
    if held >= KEPT_BYTES:
        says += f" Active memory rose by {format_size(held)} meanwhile."
    if len(alike) > 1:
        says += f" The same holds for {listed(each.name for each in alike if each is not root)} in this function."
    return seen(
        code,
        severity,
        place,
        node=root.name,
        says=says,
        fix=_fix(process, code, alike, place),
        next_check=_check(root, place),
        stake=max(most / BUFFERS, memory_share(process, held)),
        ops_first=looks[0].ops,
        ops_last=looks[-1].ops,
        ops_most=most,
        looks=len(looks),
        evaluations=_evaluations(looks),
        seconds=looks[-1].at_s - looks[0].at_s,
        variables=len(alike),
        active_growth_bytes=held,
    )


def root_of(alike: Sequence[RawLazy]) -> RawLazy:
    """Return the variable that the largest ones are made from: it has about as much behind it, but no more."""
    most = max(_most(lazy) for lazy in alike)
    return min((lazy for lazy in alike if _most(lazy) >= SAME_CHAIN * most), key=_most)


def _most(lazy: RawLazy) -> int:
    """Return the most operations that were pending: as counted, and as they must have gone on until last seen lazy."""
    looks = while_lazy(lazy)
    return max(look.ops for look in lazy.looks) + _since(lazy, looks)


def _since(lazy: RawLazy, looks: Sequence[LazySample]) -> int:
    """Return the operations that were added after the last count, at the pace they had between the counts."""
    first, last = looks[0], looks[-1]
    if last.evaluations > first.evaluations:
        lasted, later = last.evaluations - first.evaluations, lazy.last_evaluations - last.evaluations
        return max(0, round((last.ops - first.ops) * later / lasted))
    later_s = lazy.last_at_s - last.at_s
    return max(0, round((last.ops - first.ops) * later_s / max(last.at_s - first.at_s, TICK_S)))


def active_between(process: RawProcess, looks: Sequence[LazySample]) -> int:
    """Return bytes that active memory rose by between the first look and the last."""
    active = [each.active for each in process.memory if looks[0].at_s <= each.at_s <= looks[-1].at_s]
    return max(0, active[-1] - active[0]) if active else 0


def _risen(lazy: RawLazy, looks: Sequence[LazySample]) -> str:
    first, last = looks[0], looks[-1]
    return (
        f"{listed([lazy.name])} had {counted(first.ops, 'operation')} pending at the first of {len(looks)} looks and "
        f"{last.ops:,} at the last, {format_duration(last.at_s - first.at_s)} later, and never fewer in between."
    )


def _then(lazy: RawLazy, looks: Sequence[LazySample]) -> str:
    """Say how it went on after the last count."""
    more = _since(lazy, looks)
    if more <= looks[-1].ops * JUST_COUNTED:
        return ""
    later_s = lazy.last_at_s - looks[-1].at_s
    return f" {format_duration(later_s)} later it was lazy still, by then with about {looks[-1].ops + more:,}."


def _cause(process: RawProcess, code: str, looks: Sequence[LazySample]) -> str:
    if code == "PL101":
        backlog = backlog_of(process)
        computed = "" if backlog is None else f" The backlog was computed at {at(backlog.place)} in the end, in "
        computed += "" if backlog is None else f"{format_duration(backlog.blocked_s)}."
        return f"Nothing was evaluated in that time.{computed}{_limit(looks)}"
    return f"{counted(_evaluations(looks), 'evaluation')} ran in that time, and none computed it.{_limit(looks)}"


def _limit(looks: Sequence[LazySample]) -> str:
    """Say when buffers run out on Metal, where each pending operation keeps one."""
    first, last = looks[0], looks[-1]
    grew, evaluations, left = last.ops - first.ops, _evaluations(looks), BUFFERS - last.ops
    if left <= 0:
        return f" That is above {BUFFERS:,}, the buffers that Metal allows."
    more = (
        counted(left * evaluations / grew, "more evaluation")
        if evaluations > 0
        else f"{format_duration(left * (last.at_s - first.at_s) / grew)} more"
    )
    return f" If each keeps a buffer, the {BUFFERS:,} that Metal allows are used up after {more}."


def _fix(process: RawProcess, code: str, alike: Sequence[RawLazy], place: Place) -> str:
    names = listed(each.name for each in alike)
    if code == "PL101":
        return (
            f"Evaluate {names} in every cycle, with mx.async_eval after {at(place)}; in a loop of tiny steps on every "
            "hundredth or so (placement_cli.EvaluateEvery)."
        )
    points = [point for point in evaluating(process) if point.kind in {"eval", "async_eval"}] or evaluating(process)
    busiest = max(points, key=lambda point: point.count, default=None)
    there = "an evaluation that is there" if busiest is None else f"{busiest.call} at {at(busiest.place)}"
    return f"Pass {names} to {there}, or do not carry what nobody reads."


def _check(lazy: RawLazy, place: Place) -> str:
    name = " ".join(lazy.name.split())
    return f"mx.async_eval({name})  # after line {place.line}, in every cycle; then trace again: it must not grow"
