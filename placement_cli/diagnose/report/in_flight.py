"""In-flight memory: what only a wait gave back, so that it belonged to work under way and to nothing in the program."""

from __future__ import annotations

from collections.abc import Sequence

from placement_cli.diagnose.findings.seen import at, counted
from placement_cli.diagnose.findings.thresholds import KEPT_BYTES, MAJORITY, REPEATED
from placement_cli.diagnose.report.sighting import Sighting
from placement_cli.tracing.raw import WAITING_KINDS, RawEvent, RawMemory, RawPoint, RawProcess
from placement_cli.units import format_duration, format_size

WAITING = WAITING_KINDS | {"synchronize"}


def in_flight(process: RawProcess) -> Sighting | None:
    """Return what was in flight; None unless active memory fell by most of its rise while something waited.

    What may be held by references counts as a finding of its own, which is asked for first.
    """
    submitting = max(
        (point for point in process.points if point.kind == "async_eval" and point.count >= REPEATED),
        key=lambda point: point.count,
        default=None,
    )
    if submitting is None or not process.memory:
        return None
    top = max(process.memory, key=lambda sample: sample.active)
    low = min(_after(process.memory, top), key=lambda sample: sample.active)
    fell = top.active - low.active
    if fell < max(KEPT_BYTES, MAJORITY * (top.active - process.memory[0].active)):
        return None
    wait = _wait_between(process, top, low)
    return None if wait is None else _told(process, submitting, top, low, wait)


def _after(samples: Sequence[RawMemory], top: RawMemory) -> Sequence[RawMemory]:
    return [sample for sample in samples if sample.at_s >= top.at_s]


def _wait_between(process: RawProcess, top: RawMemory, low: RawMemory) -> RawEvent | None:
    """Return the longest wait that ended after the highest sample and began before the lowest one after it."""
    waits = (event for event in process.events if process.points[event.point].kind in WAITING)
    within = [event for event in waits if event.at_s + event.took_s >= top.at_s and event.at_s <= low.at_s]
    return max(within, key=lambda event: event.took_s, default=None)


def _told(process: RawProcess, submitting: RawPoint, top: RawMemory, low: RawMemory, wait: RawEvent) -> Sighting:
    point, place = process.points[wait.point], submitting.place
    return Sighting(
        kind="in-flight-memory",
        says=(
            f"Active memory stood at {format_size(top.active)} after {format_duration(top.at_s)}, with "
            f"{counted(submitting.count, 'call')} of {submitting.call} at {at(place)}, and was down to "
            f"{format_size(low.active)} when {point.call} at {at(point.place)} had waited "
            f"{format_duration(wait.took_s)}: buffers of work in flight, which its completion gave back."
        ),
        next_check=(
            "window = placement_cli.RunAheadWindow(1)  # before the loop\n"
            f"window(...)  # at line {place.line}, with what {submitting.call} is given there\n"
            "# then diagnose again: the highest active memory must fall"
        ),
        code="PL104",
        file=place.file,
        line=place.line,
        fix=f"Bound the run-ahead at {at(place)} with placement_cli.RunAheadWindow, which waits for an older message.",
    )
