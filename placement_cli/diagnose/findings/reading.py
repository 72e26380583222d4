"""PL203 hidden-sync: values that are read on the host in the middle of a cycle."""

from __future__ import annotations

from collections.abc import Iterator

from placement_cli.diagnose.finding import Severity
from placement_cli.diagnose.findings.seen import (
    Seen,
    at,
    blocked_in_all,
    counted,
    evaluated_calls,
    function_of,
    later_s,
    message_of,
    run_share,
    seen,
)
from placement_cli.diagnose.findings.thresholds import (
    BLOCKED_SHARE,
    FEW_OPS,
    MAJORITY,
    REPEATED,
    RUN_SHARE,
    WORTH_S,
)
from placement_cli.tracing.raw import EVALUATING_KINDS, READING_KINDS, RawError, RawPoint, RawProcess, RawStep
from placement_cli.units import format_duration, format_percent

TRANSFORMED = ("during function transformations", "Not allowed inside a graph transformation")
"""What MLX says of an evaluation inside mx.compile, mx.vmap or a gradient."""


def reading(process: RawProcess) -> Iterator[Seen]:
    """Yield hidden synchronisations that cost time, and evaluations inside transformed functions."""
    cycle = _Cycle(process)
    for index, point in enumerate(process.points):
        if point.kind in READING_KINDS and _costs(process, point):
            if _in_the_middle(cycle, index):
                yield _told(process, point, cycle.next_of(index))
            elif point.kind == "bool" and cycle.comes_again(index):
                yield _condition(process, point)
    for error in process.errors:
        if any(text in error.message for text in TRANSFORMED):
            yield _inside(error)


class _Cycle:
    """What follows a point in its thread, with what is built on the way."""

    def __init__(self, process: RawProcess) -> None:
        self._points = process.points
        self._after: dict[int, list[RawStep]] = {}
        for step in process.steps:
            if 0 <= step.after < len(process.points) and step.count > 0:
                self._after.setdefault(step.before, []).append(step)

    def comes_again(self, index: int) -> bool:
        """Whether the point mostly follows itself, with something built in between: the condition of a loop."""
        again = sum(step.count for step in self._after.get(index, ()) if step.after == index and step.ops > 0)
        return again >= REPEATED and again > MAJORITY * self._points[index].count

    def next_of(self, index: int) -> RawPoint | None:
        """Return the evaluating point that follows most often, after operations were built."""
        steps = [step for step in self._after.get(index, ()) if step.ops > 0 and step.after != index]
        steps = [step for step in steps if self._points[step.after].kind in EVALUATING_KINDS]
        return self._points[max(steps, key=lambda step: step.count).after] if steps else None

    def share_in_the_middle(self, origin: int, index: int, built: float, passed: frozenset[int]) -> float:
        """Return how often the way on from `index` builds something and then evaluates it at a later point.

        Points that evaluate nothing are passed, and so is reading that follows with next to nothing built between.
        """
        steps = self._after.get(index, [])
        total = sum(step.count for step in steps)
        if not total:
            return 0.0
        return sum(step.count * self._share_of(origin, step, built, passed) for step in steps) / total

    def _share_of(self, origin: int, step: RawStep, built: float, passed: frozenset[int]) -> float:
        if step.after == origin or step.after in passed:
            return 0.0
        point, built = self._points[step.after], built + step.ops / step.count
        if point.kind not in EVALUATING_KINDS or (point.kind in READING_KINDS and built < FEW_OPS):
            return self.share_in_the_middle(origin, step.after, built, passed | {step.after})
        # In its first cycle a program comes to the middle before it comes to the end.
        return 1.0 if built >= 1 and point.first_at_s > self._points[origin].first_at_s else 0.0


def _in_the_middle(cycle: _Cycle, index: int) -> bool:
    return cycle.share_in_the_middle(index, index, 0.0, frozenset({index})) > MAJORITY


def _costs(process: RawProcess, point: RawPoint) -> bool:
    calls = evaluated_calls(point)
    if calls < REPEATED or calls <= MAJORITY * point.count:
        return False
    return (
        run_share(process, later_s(point)) >= RUN_SHARE or later_s(point) >= BLOCKED_SHARE * blocked_in_all(process) > 0
    )


def _told(process: RawProcess, point: RawPoint, then: RawPoint | None) -> Seen:
    severity: Severity = "warning" if later_s(point) >= WORTH_S else "note"
    share = run_share(process, point.blocked_s)
    after = "another evaluation" if then is None else f"{then.call} at {at(then.place)}"
    return seen(
        "PL203",
        severity,
        point.place,
        node=function_of(point.place),
        says=(
            f"{point.call} computed lazy work in about {evaluated_calls(point):,.0f} of "
            f"{counted(point.count, 'call')} and held the host for {format_duration(point.blocked_s)} "
            f"({format_percent(share)} of the run), before the rest of the cycle was built and evaluated by {after}."
        ),
        fix=f"{_instead(point)}, read the value of the cycle before, or read it after {after}.",
        next_check=(
            f"# give line {point.place.line} the value of the cycle before instead of {point.call} of this one,\n"
            "# then trace again and compare the time of the run"
        ),
        stake=share,
        thread=point.thread,
        blocked_s=point.blocked_s,
        run_share=share,
        calls=point.count,
        evaluated_calls=evaluated_calls(point),
        then=None if then is None else at(then.place),
    )


def _instead(point: RawPoint) -> str:
    """Return what to do in place of reading, by how it is read."""
    where = at(point.place)
    if point.kind in {"numpy", "dlpack", "tolist"}:
        return f"Do at {where} with operations of MLX what is done with the values"
    if point.kind in {"print", "save"}:
        return f"Leave {point.call} out at {where}"
    return f"Keep the decision at {where} on the device (mx.where)"


def _condition(process: RawProcess, point: RawPoint) -> Seen:
    """Tell of a condition that each pass of a loop waits for: a note, since the program may need it so."""
    share = run_share(process, point.blocked_s)
    return seen(
        "PL203",
        "note",
        point.place,
        node=function_of(point.place),
        says=(
            f"{point.call} computed lazy work in about {evaluated_calls(point):,.0f} of "
            f"{counted(point.count, 'call')} and held the host for {format_duration(point.blocked_s)} "
            f"({format_percent(share)} of the run): each pass waits for the condition before the next one is built."
        ),
        fix=f"Where a few passes too many do no harm, ask at {at(point.place)} in every tenth pass or so.",
        next_check=(
            f"# ask at line {point.place.line} in every tenth pass alone, then trace again and compare the times"
        ),
        stake=share,
        aspect="condition",
        thread=point.thread,
        blocked_s=point.blocked_s,
        run_share=share,
        calls=point.count,
        evaluated_calls=evaluated_calls(point),
    )


def _inside(error: RawError) -> Seen:
    return seen(
        "PL203",
        "error",
        error.place,
        node=function_of(error.place),
        says=(
            f"An evaluation inside a function that mx.compile, mx.vmap or a gradient traces raised {error.type} in "
            f"{counted(error.count, 'call')}: {message_of(error)}."
        ),
        fix=(
            f"Take the evaluation at {at(error.place)} out of the transformed function: return the array, and evaluate "
            "or read it where the function is called."
        ),
        next_check="placement diagnose --probe transforms",
        stake=1.0,
        aspect="transformed",
        thread=error.thread,
        calls=error.count,
        at_s=error.at_s,
    )
