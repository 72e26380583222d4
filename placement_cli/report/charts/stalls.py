"""Submitting behind a busy device: how long each call takes, and at which one the host begins to wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from placement_cli.measure.specs import Reading
from placement_cli.report.charts.axes import drawable, seconds_axis
from placement_cli.report.charts.courses import Course, counted, course_chart, over_decades
from placement_cli.report.charts.samples import lists_of, middles, peaks, summarised
from placement_cli.report.naming import case_label, row_label
from placement_cli.report.picture import Panel, Picture, Table
from placement_cli.store.run_document import CaseRecord
from placement_cli.units import format_duration

MOST_POINTS = 128
"""Points of a line: of more calls the longest of each stretch is drawn."""
READING = (
    "How long the host is held by each call while other work holds the device: the median over samples at each call. "
    "A peak is a call that waited; the first of them shows how much fits into the device's queue."
)


def stalls(cases: Sequence[CaseRecord]) -> Picture | None:
    """Return the length of each call; None where calls were not timed behind work that holds the device."""
    panels, rows, longest = [], [], 1
    for case in (case for case in cases if case.reading == Reading.QUEUE):
        label = case_label(case, cases)
        found = [(arm, middles(lists_of(case, arm, lambda s: s.call_s))) for arm in summarised(case)]
        timed = [(arm, values) for arm, values in found if values and drawable(values)]
        if timed:
            longest = max(longest, *(peaks(values, MOST_POINTS)[1] for _, values in timed))
            panels.append(_panel(label, [_course(case, arm, values) for arm, values in timed]))
            rows += list(_rows(case, label, timed))
    if not panels:
        return None
    some = "" if longest == 1 else f" Of every {longest} neighbouring calls the longest is drawn."
    headings = ("case", "arm", "usual call", "longest call", "number of the longest", "calls", "stalls in call")
    table = Table(headings, tuple(rows), words=2)
    return Picture(
        "stalls", "Each call behind a busy device", READING + some, tuple(panels), table, "These calls summed up"
    )


def _course(case: CaseRecord, arm: str, values: Sequence[float]) -> Course:
    points, _ = peaks(values, MOST_POINTS)
    return Course(row_label(case, arm), tuple(point for point in points if drawable([point[1]])))


def _panel(label: str, courses: Sequence[Course]) -> Panel:
    axis = seconds_axis([value for course in courses for _, value in course.points])
    y = over_decades("length of the call", axis)
    spec = course_chart(courses, counted("call"), y, format_duration, f"The length of each call, {label}")
    return Panel(label, spec)


def _rows(case: CaseRecord, label: str, timed: Sequence[tuple[str, Sequence[float]]]) -> Iterator[tuple[str, ...]]:
    for arm, values in timed:
        usual, longest = sorted(values)[len(values) // 2], max(values)
        place = f"{values.index(longest) + 1}"
        times = (format_duration(usual), format_duration(longest))
        yield (label, row_label(case, arm), *times, place, str(len(values)), _stalled(case, arm))


def _stalled(case: CaseRecord, arm: str) -> str:
    found = next((each for each in case.estimates if each.name == f"stall_call[{arm}]"), None)
    if found is None:
        return "not measured"
    return "none" if found.value is None else f"{found.value:.0f}"
