"""The medians of one series over the runs of one set-up, with its steps marked."""

from __future__ import annotations

from math import ceil

import altair as alt

from placement_cli.comparing.dates import moment_text
from placement_cli.comparing.history import Track
from placement_cli.comparing.titles import metric_title
from placement_cli.render.plain import harmless
from placement_cli.render.stored_cells import quantity_text
from placement_cli.report.charts.axes import BYTES_LABEL, NUMBER_LABEL, SECONDS_LABEL, size_ticks
from placement_cli.report.charts.drawing import inline, line_at, placed, spec_of, tooltips
from placement_cli.report.picture import Panel
from placement_cli.report.theme import colour

HEIGHT = 150
MOST_NUMBERS = 10
"""Runs that are numbered below a chart."""
LABELS = {"s": SECONDS_LABEL, "bytes": BYTES_LABEL}
"""How ticks are written, by unit."""
RUN = "run, the oldest first"


def time_panel(track: Track) -> Panel:
    """Return the chart of a series: a dot for each run, joined, and a line where a new level began."""
    what = f"{harmless(track.case)} {harmless(track.arm)}".strip()
    title = f"{what}: {metric_title(track.metric)}"
    data = [
        {
            "at": number,
            "value": float(f"{point.median:.6g}"),
            "said": quantity_text(point.median, track.unit),
            "run": harmless(point.run),
            "started": harmless(moment_text(point.started) or "not known"),
        }
        for number, point in enumerate(track.points, 1)
    ]
    numbers = list(range(1, len(data) + 1, ceil(len(data) / MOST_NUMBERS)))
    axis = alt.Axis(grid=False, values=numbers, labelExpr=NUMBER_LABEL)
    x = alt.X("at:Q", title=RUN, axis=axis, scale=_runs(len(data)))
    line = placed(inline(data).mark_line(strokeWidth=1.5, stroke=colour("arm-1"), aria=False), x, _values(track))
    dots = placed(
        inline(data).mark_point(size=40, filled=True, opacity=1, color=colour("arm-1")),
        x,
        _values(track),
        tooltip=tooltips(run="run", started="started", said=metric_title(track.metric)),
    )
    marks = [line_at(step.index + 0.5) for step in track.steps]
    return Panel(title, spec_of([*marks, line, dots], f"{title} over {len(data)} runs", HEIGHT))


def _runs(count: int) -> alt.Scale:
    return alt.Scale(domain=[0.5, count + 0.5], nice=False, zero=False)


def _values(track: Track) -> alt.Y:
    """Return the axis from zero: what moved little looks like little."""
    most = max(point.median for point in track.points)
    places = list(size_ticks(most)) if track.unit == "bytes" else alt.Undefined
    axis = alt.Axis(
        grid=True,
        tickCount=3,
        values=places,
        domain=False,
        ticks=False,
        labelExpr=LABELS.get(track.unit, NUMBER_LABEL),
    )
    return alt.Y("value:Q", title=None, axis=axis, scale=alt.Scale(zero=True))
