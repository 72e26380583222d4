"""What more work costs the host: its time for a message over the one number that the cases differ in."""

from __future__ import annotations

from collections.abc import Sequence

from placement_cli.measure.specs import Reading
from placement_cli.report.charts.axes import MOST, drawable, seconds_axis
from placement_cli.report.charts.courses import Course, counted, course_chart, over_decades
from placement_cli.report.charts.samples import summarised
from placement_cli.report.naming import ARM
from placement_cli.report.picture import Panel, Picture, Spec, Table
from placement_cli.store.run_document import CaseRecord
from placement_cli.units import format_duration

LEAST_POINTS = 3
READING = "How long the host is held by one message, submitted in short bursts: medians over all valid blocks."

Prices = dict[str, list[tuple[float, float]]]
"""Seconds a message for each arm, over the number of the axis."""


def prices(cases: Sequence[CaseRecord]) -> Picture | None:
    """Return the host's time over the axis of numbers; None where there is no such axis, or where nothing was sent in
    bursts."""
    key = axis_of(cases)
    if key is None or any(case.reading != Reading.BURST for case in cases):
        return None
    found = _prices(cases, key)
    if not any(len(points) >= LEAST_POINTS for points in found.values()):
        return None
    rows = tuple((arm, f"{at:g}", format_duration(s)) for arm, points in found.items() for at, s in points)
    table = Table(("arm", key, "host held a message"), rows)
    return Picture("prices", f"Host time over {key}", READING, (Panel("", _chart(found, key)),), table)


def axis_of(cases: Sequence[CaseRecord]) -> str | None:
    """Return the one parameter in which the cases differ, where it is a number in all of them."""
    keys = dict.fromkeys(key for case in cases for key in case.params if key != ARM)
    varying = [key for key in keys if len({case.params.get(key) for case in cases}) > 1]
    numbers = [key for key in varying if all(isinstance(case.params.get(key), int | float) for case in cases)]
    return varying[0] if len(varying) == len(numbers) == 1 else None


def _prices(cases: Sequence[CaseRecord], key: str) -> Prices:
    found: Prices = {}
    for case in cases:
        at = _number(case.params[key])
        for arm in summarised(case):
            seconds = case.summary[arm].dispatch_s.median
            if at is not None and drawable([seconds]):
                found.setdefault(arm, []).append((at, seconds))
    return {arm: sorted(points) for arm, points in found.items()}


def _number(value: int | float | str) -> float | None:
    """Return a parameter as a number, None where it has no place on an axis."""
    return float(value) if isinstance(value, int | float) and -MOST <= value <= MOST else None


def _chart(found: Prices, key: str) -> Spec:
    courses = [Course(arm, tuple(points)) for arm, points in found.items()]
    axis = seconds_axis([seconds for points in found.values() for _, seconds in points])
    y = over_decades("host time of a message", axis)
    return course_chart(courses, counted(key), y, format_duration, "Host time of a message", dots=True)
