"""What is left pending after each message while output is withheld: ops and bytes, one pair of panels a case."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from placement_cli.report.charts.axes import BYTES_LABEL, size_ticks
from placement_cli.report.charts.courses import Course, counted, course_chart, from_zero
from placement_cli.report.charts.samples import lists_of, middles, peaks, summarised
from placement_cli.report.naming import case_label, row_label
from placement_cli.report.picture import Panel, Picture, Table
from placement_cli.store.run_document import CaseRecord, SampleRecord
from placement_cli.units import format_size

MOST_POINTS = 200
"""Points of a line: of more messages the largest of each stretch is drawn."""
READING = (
    "What is still to be computed, and the bytes it holds, after each message of a sample: the median over samples at "
    "each message. A line that climbs is work that piles up."
)


def pending(cases: Sequence[CaseRecord]) -> Picture | None:
    """Return what piles up message by message; None where that was not read."""
    panels, rows = [], []
    for case in cases:
        label = case_label(case, cases)
        ops, bytes_ = _courses(case, lambda s: s.pending_ops), _courses(case, lambda s: s.pending_bytes)
        if ops:
            panels += [_ops_panel(label, ops), *([_bytes_panel(label, bytes_)] if bytes_ else [])]
            rows += list(_rows(label, ops, bytes_))
    if not panels:
        return None
    headings = ("case", "arm", "ops after the first", "ops after the last", "most bytes", "messages")
    table = Table(headings, tuple(rows), words=2)
    about = "The ends of these lines"
    return Picture("pending", "What is left pending", READING, tuple(panels), table, about)


def _courses(case: CaseRecord, pick: Callable[[SampleRecord], Sequence[float] | None]) -> list[Course]:
    found = ((arm, middles(lists_of(case, arm, pick))) for arm in summarised(case))
    return [Course(row_label(case, arm), tuple(peaks(values, MOST_POINTS)[0])) for arm, values in found if values]


def _ops_panel(label: str, courses: Sequence[Course]) -> Panel:
    spec = course_chart(
        courses,
        counted("message"),
        from_zero("ops pending"),
        "{:.0f}".format,
        f"Ops pending after each message, {label}",
    )
    return Panel(f"{label}: ops pending", spec)


def _bytes_panel(label: str, courses: Sequence[Course]) -> Panel:
    most = max(value for course in courses for _, value in course.points)
    y = from_zero("bytes pending", BYTES_LABEL, size_ticks(most))
    spec = course_chart(courses, counted("message"), y, format_size, f"Bytes pending after each message, {label}")
    return Panel(f"{label}: bytes pending", spec)


def _rows(label: str, ops: Sequence[Course], bytes_: Sequence[Course]) -> Iterator[tuple[str, ...]]:
    most = {course.arm: max(value for _, value in course.points) for course in bytes_}
    for course in ops:
        first, last = course.points[0][1], course.points[-1][1]
        size = format_size(most[course.arm]) if course.arm in most else ""
        yield (label, course.arm, f"{first:.0f}", f"{last:.0f}", size, f"{course.points[-1][0]:.0f}")
