"""Lines over a count: what is pending after each message, what each call takes, what more work costs the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import altair as alt

from placement_cli.report.charts.axes import NUMBER_LABEL, LogAxis
from placement_cli.report.charts.drawing import inline, placed, spec_of, tooltips
from placement_cli.report.charts.rows import Datum
from placement_cli.report.picture import Spec
from placement_cli.report.theme import colour

HEIGHT = 220
DASHES: tuple[tuple[int, ...], ...] = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (12, 3), (3, 5))
"""A pattern for each arm: lines are told apart by it, and by colour besides; a seventh begins anew."""


@dataclass(frozen=True, slots=True)
class Course:
    """One line: an arm, and a value at each of some counts, in their order."""

    arm: str
    points: tuple[tuple[float, float], ...]


def course_chart(
    courses: Sequence[Course], x: alt.X, y: alt.Y, said: Callable[[float], str], says: str, *, dots: bool = False
) -> Spec:
    """Return `courses` as lines over `at`, their values `value`; with `dots` each point is marked.

    `said` is how a value is written on hovering, `says` what a screen reader calls the chart.
    """
    # Lines one over the other are seen where the patterns of the upper ones leave gaps.
    data = [_datum(course.arm, at, value, said) for course in courses for at, value in course.points]
    names = list(dict.fromkeys(course.arm for course in courses))
    stroke, dash = _scales(names)
    lines = placed(inline(data).mark_line(strokeWidth=2, aria=False), x, y, stroke, dash)
    marks = inline(data).mark_point(size=30 if dots else 60, strokeWidth=2.5, opacity=1 if dots else 0)
    shown = tooltips(arm="arm", at=str(x.title), said=str(y.title))
    return spec_of([lines, placed(marks, x, y, stroke, tooltip=shown)], says, HEIGHT)


def _datum(arm: str, at: float, value: float, said: Callable[[float], str]) -> Datum:
    return {"arm": arm, "at": at, "value": float(f"{value:.6g}"), "said": said(value)}


def _colours(names: Sequence[str]) -> alt.Scale:
    return alt.Scale(domain=list(names), range=[colour(f"arm-{n % len(DASHES) + 1}") for n in range(len(names))])


def _scales(names: Sequence[str]) -> tuple[alt.Stroke, alt.StrokeDash]:
    patterns = alt.Scale(domain=list(names), range=[list(DASHES[n % len(DASHES)]) for n in range(len(names))])
    legend = _legend() if len(names) > 1 else None
    return (
        alt.Stroke("arm:N", scale=_colours(names), legend=legend),
        alt.StrokeDash("arm:N", scale=patterns, legend=legend),
    )


def _legend() -> alt.Legend:
    return alt.Legend(title=None, orient="top", columns=2, symbolType="stroke", symbolSize=400, symbolStrokeWidth=2)


def counted(title: str, *, log: LogAxis | None = None) -> alt.X:
    """Return the axis of counts."""
    if log is not None:
        return alt.X("at:Q", title=title, scale=log.scale, axis=log.axis(grid=False))
    axis = alt.Axis(grid=False, tickMinStep=1, tickCount=6, labelExpr=NUMBER_LABEL)
    return alt.X("at:Q", title=title, axis=axis, scale=alt.Scale(nice=False, zero=False))


def from_zero(title: str, label: str = NUMBER_LABEL, ticks: Sequence[float] | None = None) -> alt.Y:
    """Return the axis of values that begins at zero, with `ticks` of its own or a few round ones."""
    places = alt.Undefined if ticks is None else list(ticks)
    axis = alt.Axis(grid=True, tickCount=4, values=places, domain=False, ticks=False, labelExpr=label)
    return alt.Y("value:Q", title=title, axis=axis, scale=alt.Scale(zero=True))


def over_decades(title: str, axis: LogAxis) -> alt.Y:
    """Return the axis of values on a logarithmic scale."""
    return alt.Y("value:Q", title=title, axis=axis.axis(grid=True, domain=False), scale=axis.scale)
