"""Advice that follows a measurement: which placements to measure, and what their figures change. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from placement_cli.advice.advice import Advice, Alternative, Estimate, MeasuredPlacement, Placement, Verified
from placement_cli.units import format_duration, format_percent, format_ratio

TAIL = "async-tail"
"""The rule that everything is compared with."""
CURRENT, ADVISED = "current", "advised"
LESS_BYTES = 0.9
"""From this ratio on fewer bytes in flight are a reason of their own."""
WHOLE_WORK = 0.5
"""Share of the device's work below which a placement does not do the same as the others."""


def to_measure(advice: Advice) -> dict[str, Placement]:
    """Return the placements worth measuring by name: today's, the tail rule, the advised one and its runners-up."""
    wanted: dict[str, Placement] = {}
    for each in advice.alternatives:
        if each.name in {CURRENT, TAIL, ADVISED, "second", "third"} or each.placement == advice.placement:
            wanted[each.name] = each.placement
    return wanted


def verified(advice: Advice, measured: Sequence[MeasuredPlacement], run: str) -> Advice:
    """Return the advice with its measurement, following it where it contradicts.

    Another placement is advised when it was measured to hold the host for less, intervals apart, and is predicted to
    keep the limits; and today's stays where nothing measured is better than it, unless the advised one has fewer points
    or bytes in flight.
    """
    known = {each.name: each for each in advice.alternatives}
    arms = [each for each in measured if each.name in known]
    errors = _errors(arms, known)
    name = _followed(advice, arms, known)
    chosen = known[name]
    says = _says(arms, name, known)
    record = Verified(run, tuple(arms), median(errors) if errors else 0.0, says)
    if chosen.placement == advice.placement:
        return replace(advice, verified=record, confidence="measured", verdict=f"{advice.verdict} {says}")
    verdict = f"Measured, not as predicted: {_changes(advice, chosen)}. {says}"
    return replace(
        advice,
        verified=record,
        confidence="measured",
        placement=chosen.placement,
        predicted=chosen.predicted,
        verdict=verdict,
    )


def _advised_name(advice: Advice, arms: Sequence[MeasuredPlacement], known: Mapping[str, Alternative]) -> str:
    names = [each.name for each in arms if known[each.name].placement == advice.placement]
    return names[0] if names else next(each.name for each in advice.alternatives if each.placement == advice.placement)


def _followed(advice: Advice, arms: Sequence[MeasuredPlacement], known: Mapping[str, Alternative]) -> str:
    advised = _advised_name(advice, arms, known)
    by_name = {each.name: each for each in arms}
    if advised not in by_name:
        return advised
    best = by_name[advised]
    for each in arms:
        if not known[each.name].violates and _less(_cost(each), _cost(best)):
            best = each
    now = by_name.get(CURRENT)
    if now is None or known[CURRENT].violates or not _as_good(_cost(now), _cost(best)):
        return best.name
    return best.name if _simpler(known[best.name], known[CURRENT]) else CURRENT


def _less(one: Estimate, other: Estimate) -> bool:
    """Whether one is less than the other, intervals apart; without intervals nobody knows."""
    return one.low < one.high < other.low < other.high


def _as_good(one: Estimate, other: Estimate) -> bool:
    """Whether one was measured to be no more than the other, as far as their intervals tell."""
    return one.low < one.high and one.low <= other.high and other.low < other.high


def _simpler(one: Alternative, other: Alternative) -> bool:
    """Whether a placement has fewer points than another, or keeps clearly fewer bytes in flight."""
    points, others = (sum(mode.submits for mode in each.placement.values()) for each in (one, other))
    held, held_by_other = (each.predicted.in_flight_bytes.value for each in (one, other))
    return points < others or held < LESS_BYTES * held_by_other


def _errors(arms: Sequence[MeasuredPlacement], known: Mapping[str, Alternative]) -> list[float]:
    """Return how far each prediction was off, as a share of it; of live sources that of the host's time.

    What leaves most of the work undone is left out: a measurement does it in the end, a prediction does not.
    """
    work = max((known[each.name].predicted.device_s.value for each in arms), default=0.0)
    whole = [each for each in arms if known[each.name].predicted.device_s.value >= WHOLE_WORK * work]
    pairs = [(_cost(each).value, _predicted(each, known).value) for each in whole]
    return [abs(measured / predicted - 1.0) for measured, predicted in pairs if predicted > 0]


def _live(each: MeasuredPlacement) -> bool:
    """Whether messages came at their own rate: only then latency is measured, and the period says nothing."""
    return each.host_s is not None and each.latency_s is not None


def _cost(each: MeasuredPlacement) -> Estimate:
    return each.host_s if each.host_s is not None and _live(each) else each.period_s


def _predicted(each: MeasuredPlacement, known: Mapping[str, Alternative]) -> Estimate:
    predicted = known[each.name].predicted
    return predicted.host_s if _live(each) else predicted.period_s


def _says(arms: Sequence[MeasuredPlacement], name: str, known: Mapping[str, Alternative]) -> str:
    by_name = {each.name: each for each in arms}
    if name not in by_name:
        return "The advised placement could not be measured."
    chosen, now = by_name[name], by_name.get(CURRENT)
    errors = _errors(arms, known)
    off = f"; predictions were off by {format_percent(median(errors))} at the median" if errors else ""
    if now is None or now is chosen or _cost(chosen).value <= 0:
        return f"Measured here: {format_duration(_cost(chosen).value)} a message{off}."
    told = "not told apart from today's by this run"
    if _less(_cost(chosen), _cost(now)) or _less(_cost(now), _cost(chosen)):
        told = f"{format_ratio(_cost(now).value / _cost(chosen).value)} times as fast"
    what = "of the host a message" if _live(chosen) else "a message"
    return (
        f"Measured here: {format_duration(_cost(chosen).value)} {what} against {format_duration(_cost(now).value)} "
        f"today, {told}{off}."
    )


def _changes(advice: Advice, chosen: Alternative) -> str:
    changed = [f"{mode} at {name}" for name, mode in chosen.placement.items() if mode != advice.current[name]]
    return ", ".join(changed[:6]) if changed else "change nothing"
