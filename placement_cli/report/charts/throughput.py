"""Throughput against bytes in flight: what running ahead buys, one panel for each case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from placement_cli.bench.metrics import PAGE_BYTES
from placement_cli.measure.specs import Reading
from placement_cli.report.charts.axes import NUMBER_LABEL, LogAxis, bytes_axis, drawable
from placement_cli.report.charts.drawing import inline, placed, spec_of, spread_out, tooltips
from placement_cli.report.charts.rows import Datum
from placement_cli.report.charts.samples import summarised
from placement_cli.report.naming import arm_label, case_label
from placement_cli.report.picture import Panel, Picture, Spec, Table
from placement_cli.report.theme import colour
from placement_cli.store.run_document import CaseRecord
from placement_cli.units import format_duration, format_ratio, format_size

HEIGHT, LABEL_HEIGHT = 240, 15
"""Pixels of a panel, and of the name of an arm in it."""
LEAST_ARMS = 3
"""Fewer points are no sweep: a table says as much."""
READING = (
    "Up is more messages a second, left is less memory: the best place is the upper left. Medians over all valid "
    "blocks. The line joins the windows in the order of their depth. Bytes below one page (4 KiB) are drawn at a page."
)


@dataclass(frozen=True, slots=True)
class _Point:
    case: str
    arm: str
    window: int
    bytes_: float
    complete_s: float

    @property
    def per_s(self) -> float:
        return 1 / self.complete_s


def throughput(cases: Sequence[CaseRecord]) -> Picture | None:
    """Return messages a second against peak bytes in flight; None where nothing was streamed by enough arms."""
    found = [_points(case, cases) for case in cases if case.reading == Reading.STREAM]
    swept = [points for points in found if len(points) >= LEAST_ARMS]
    if not swept:
        return None
    panels = tuple(Panel(points[0].case, _chart(points)) for points in swept)
    rows = tuple((point.case, point.arm, *_numbers(point)) for points in swept for point in points)
    headings = ("case", "arm", "messages a second", "time per message", "bytes in flight")
    return Picture("throughput", "Throughput and memory", READING, panels, Table(headings, rows, words=2))


def _points(case: CaseRecord, among: Sequence[CaseRecord]) -> list[_Point]:
    found = []
    for arm in summarised(case):
        summary = case.summary[arm]
        seconds, bytes_ = summary.complete_s.median, max(float(PAGE_BYTES), summary.in_flight_bytes.median)
        if len(drawable([seconds, bytes_])) == 2:
            depth = window_depth(case.arms[arm])
            found.append(_Point(case_label(case, among), arm_label(case, arm), depth, bytes_, seconds))
    return found


def window_depth(arm: dict[str, Any]) -> int:
    """Return the K of `window:K`, 0 for every other arm."""
    depth = arm.get("depth")
    return depth if isinstance(depth, int) and str(arm.get("mode", "")).startswith("window") else 0


def _numbers(point: _Point) -> tuple[str, str, str]:
    return format_ratio(point.per_s), format_duration(point.complete_s), format_size(point.bytes_)


def _chart(points: Sequence[_Point]) -> Spec:
    axis = bytes_axis([point.bytes_ for point in points])
    bounds = rate_bounds([point.per_s for point in points])
    data = [_datum(point) for point in points]
    places = _places(axis, bounds)
    layers = [_sweep(data, places), _marks(data, places), *_names(points, data, axis, bounds)]
    return spec_of(layers, f"Messages a second against bytes in flight, {points[0].case}", HEIGHT)


def _datum(point: _Point) -> Datum:
    per_s, each, bytes_ = _numbers(point)
    shown = {"per_s": per_s, "each": each, "size": bytes_}
    return {"arm": point.arm, "window": point.window, "bytes": point.bytes_, "rate": point.per_s, **shown}


def rate_bounds(rates: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the axis: room around the rates, and at least a fifth of the highest, so that small
    differences stay small."""
    low, high = min(rates), max(rates)
    span = max(high - low, 0.2 * high)
    return max(0.0, high - 1.25 * span), high + 0.15 * span


def _places(axis: LogAxis, bounds: tuple[float, float]) -> list[Any]:
    x = alt.X("bytes:Q", title="peak bytes in flight", scale=axis.scale, axis=axis.axis(grid=True))
    y_axis = alt.Axis(tickCount=4, grid=True, domain=False, ticks=False, labelExpr=NUMBER_LABEL)
    scale = alt.Scale(domain=list(bounds), nice=False, zero=False)
    return [x, alt.Y("rate:Q", title="messages a second", scale=scale, axis=y_axis)]


def _sweep(data: Sequence[Datum], places: Sequence[Any]) -> alt.Chart:
    windows = sorted((each for each in data if each["window"]), key=lambda each: int(each["window"]))
    mark = inline(windows).mark_line(color=colour("mark"), strokeWidth=1.5, opacity=0.6, aria=False)
    return placed(mark, *places, alt.Order("window:Q"))


def _marks(data: Sequence[Datum], places: Sequence[Any]) -> alt.Chart:
    mark = inline(data).mark_point(filled=True, size=70, opacity=1, color=colour("mark"))
    shown = tooltips(arm="arm", per_s="messages a second", each="time per message", size="bytes in flight")
    return placed(mark, *places, tooltip=shown)


def _names(
    points: Sequence[_Point], data: Sequence[Datum], axis: LogAxis, bounds: tuple[float, float]
) -> list[alt.Chart]:
    """Return the names of the arms beside their points, on that side which has room, none over another."""
    (low, high), middle = bounds, (axis.low * axis.high) ** 0.5
    heights = spread_out([HEIGHT * (high - point.per_s) / (high - low) for point in points], LABEL_HEIGHT, HEIGHT)
    named = [{**each, "at": height} for each, height in zip(data, heights, strict=True)]
    lefts = [each for each in named if each["bytes"] <= middle]
    x, y = _places(axis, bounds)[0], alt.Y("at:Q", scale=None, axis=None)
    on_left = inline(lefts).mark_text(align="left", baseline="middle", dx=9, aria=False)
    rights = [each for each in named if each not in lefts]
    on_right = inline(rights).mark_text(align="right", baseline="middle", dx=-9, aria=False)
    return [placed(mark, x, y, text="arm:N") for mark in (on_left, on_right)]
