"""PL101 growth and PL102 side-state in a container: what a program collects, and leaves lazy while it collects it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from placement_cli.diagnose.finding import Severity
from placement_cli.diagnose.findings.growth import active_between, growing, while_lazy
from placement_cli.diagnose.findings.seen import Seen, at, counted, listed, memory_share, seen
from placement_cli.diagnose.findings.thresholds import BACKLOG_OPS, BUFFERS, KEPT_BYTES, LOOKS, MAJORITY, MANY_OPS
from placement_cli.tracing.raw import RawKept, RawLazy, RawProcess
from placement_cli.units import format_duration, format_size


def collected(process: RawProcess) -> Iterator[Seen]:
    """Yield one finding for each container that grew from look to look, full of arrays that nothing had computed."""
    grown = growing(process)
    for kept in process.kept:
        if any(lazy.name.startswith(f"{kept.name}[") for lazy in grown):
            continue  # Its elements are states that pile up themselves.
        oldest = left_lazy(process, kept)
        arrays = [look.arrays for look in kept.looks]
        if oldest is not None and len(set(arrays)) >= LOOKS and all(a <= b for a, b in pairwise(arrays)):
            yield _told(process, kept, oldest)


def left_lazy(process: RawProcess, kept: RawKept) -> RawLazy | None:
    """Return the element of a container that was lazy longest, where that is most of the time in which it grew.

    Such a container holds no values: what is pending keeps the inputs, and an evaluation would give those back.
    """
    span_s = kept.looks[-1].at_s - kept.looks[0].at_s if kept.looks else 0.0
    elements = [lazy for lazy in process.lazy if lazy.name.startswith(f"{kept.name}[") and while_lazy(lazy)]
    longest = max(elements, key=_lasted_s, default=None)
    return longest if longest is not None and _lasted_s(longest) > MAJORITY * span_s else None


def _lasted_s(lazy: RawLazy) -> float:
    looks = while_lazy(lazy)
    return max(looks[-1].at_s, lazy.last_at_s) - looks[0].at_s


def _told(process: RawProcess, kept: RawKept, oldest: RawLazy) -> Seen:
    looks, first, last = while_lazy(oldest), kept.looks[0], kept.looks[-1]
    evaluations = max(oldest.last_evaluations, looks[-1].evaluations) - looks[0].evaluations
    each, held, name = looks[-1].ops, active_between(process, looks), listed([kept.name])
    # Before anything is evaluated a model may be under construction: a backlog is more than that.
    many = MANY_OPS if evaluations else BACKLOG_OPS
    severity: Severity = "warning" if each * last.arrays >= many or held >= KEPT_BYTES else "note"
    cause = (
        f"{counted(evaluations, 'evaluation')} ran in that time, and none computed it."
        if evaluations
        else "Nothing was evaluated in that time."
    )
    more = f" Active memory rose by {format_size(held)} meanwhile." if held >= KEPT_BYTES else ""
    return seen(
        "PL102" if evaluations else "PL101",
        severity,
        kept.place,
        node=kept.name,
        says=(
            f"The {kept.container} {name} grew from {first.arrays:,} to {last.arrays:,} arrays, and "
            f"{listed([oldest.name])} in it was still lazy after {format_duration(_lasted_s(oldest))}, with "
            f"{counted(each, 'operation')} pending. {cause}{more}"
        ),
        fix=(
            f"Call mx.async_eval on what is put into {name} ({at(kept.place)}), so that its inputs are given back "
            "while the program goes on."
        ),
        next_check=(
            f"mx.async_eval(...)  # at line {kept.place.line}, with what is put into the {kept.container}; "
            "then trace again and compare peak memory"
        ),
        stake=max(each * last.arrays / BUFFERS, memory_share(process, held)),
        aspect="collected",
        arrays=last.arrays,
        ops_each=each,
        evaluations=evaluations,
        seconds=_lasted_s(oldest),
        active_growth_bytes=held,
    )
