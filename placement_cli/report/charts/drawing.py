"""What charts of every kind share: how one becomes JSON, and a line across."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import altair as alt

from placement_cli.report.picture import Spec
from placement_cli.report.theme import colour


def spec_of(layers: Sequence[alt.Chart], says: str, height: int) -> Spec:
    """Return a chart of `layers` as JSON, as wide as its place in the page; `says` is what a screen reader calls it.

    Schema and theme are left out: the page has them once for all charts.
    """
    size = alt.AutoSizeParams(type="fit-x", contains="padding")
    chart = alt.layer(*layers).properties(width="container", height=height, description=says, autosize=size)
    return {key: value for key, value in chart.to_dict().items() if key not in ("$schema", "config")}


def line_at(value: float, *, across: bool = False) -> alt.Chart:
    """Return the line at `value` of the horizontal axis, or (`across`) of the vertical one."""
    place = {"y" if across else "x": alt.datum(value)}
    mark = alt.Chart(alt.InlineData([{}])).mark_rule(stroke=colour("muted"), strokeWidth=1, aria=False)
    return placed(mark, **place)


def placed(mark: alt.Chart, *channels: Any, **named: Any) -> alt.Chart:
    """Return `mark` with these encodings."""
    chart: alt.Chart = mark.encode(*channels, **named)
    return chart


def tooltips(**titles: str) -> list[alt.Tooltip]:
    """Return what is shown on hovering: fields, which hold text, and what they are called."""
    return [alt.Tooltip(f"{field}:N", title=title) for field, title in titles.items()]


def inline(data: Sequence[dict[str, Any]]) -> alt.Chart:
    """Return an empty chart of `data`."""
    return alt.Chart(alt.InlineData(list(data)))


def spread_out(heights: Sequence[float], apart: float, room: float) -> list[float]:
    """Return `heights` moved as little downwards as keeps them `apart`, and then up again where they left `room`."""
    order = sorted(range(len(heights)), key=heights.__getitem__)
    moved = list(heights)
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + apart)
    ceiling = room - apart / 2
    for place in reversed(order):
        moved[place] = min(moved[place], ceiling)
        ceiling = moved[place] - apart
    return moved
