"""Latencies of single messages: a row of strokes for each case and arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import altair as alt

from placement_cli.report.charts.axes import LogAxis, drawable, seconds_axis
from placement_cli.report.charts.drawing import inline, placed, tooltips
from placement_cli.report.charts.rows import Datum, Group, Rows
from placement_cli.report.charts.samples import lists_of, summarised
from placement_cli.report.naming import case_label, row_label
from placement_cli.report.picture import Panel, Picture, Spec, Table
from placement_cli.report.theme import colour
from placement_cli.store.run_document import CaseRecord, LatencySpread
from placement_cli.units import format_duration

STROKES = 100
"""Strokes of a row: each stands for one in a hundred of its messages."""
READING = (
    f"From message in to values out. Each of the {STROKES} strokes of a row stands for as many messages: the quantiles "
    "at 0.5 %, 1.5 % to 99.5 %. The tall line is the median, the ring the slowest message of all."
)


@dataclass(frozen=True, slots=True)
class _Row:
    case: str
    arm: str
    spread: LatencySpread
    strokes: tuple[float, ...]


def latencies(cases: Sequence[CaseRecord]) -> Picture | None:
    """Return how latencies of messages are distributed; None where no single message was timed."""
    found: dict[str, list[_Row]] = {}
    for case in cases:
        for row in _rows(case, cases):
            found.setdefault(row.case, []).append(row)
    groups = list(found.values())
    if not groups:
        return None
    spec = _chart(groups)
    rows = tuple((row.case, row.arm, *_numbers(row.spread)) for group in groups for row in group)
    table = Table(("case", "arm", "p50", "p95", "p99", "slowest", "messages"), rows, words=2)
    return Picture("latencies", "Latency of single messages", READING, (Panel("", spec),), table)


def _rows(case: CaseRecord, among: Sequence[CaseRecord]) -> list[_Row]:
    found = []
    for arm in summarised(case):
        spread = case.summary[arm].latency_s
        if spread is not None:
            values = [value for values in lists_of(case, arm, lambda s: s.latency_s) for value in values]
            found.append(_Row(case_label(case, among), row_label(case, arm), spread, quantiles(values, STROKES)))
    return found


def quantiles(values: Sequence[float], number: int) -> tuple[float, ...]:
    """Return `number` quantiles in the middle of equal shares, each a value that was seen; all of fewer values."""
    ordered = sorted(values)
    if len(ordered) <= number:
        return tuple(ordered)
    places = (ceil(len(ordered) * (2 * share + 1) / (2 * number)) - 1 for share in range(number))
    return tuple(ordered[place] for place in places)


def _numbers(spread: LatencySpread) -> tuple[str, ...]:
    times = (spread.p50, spread.p95, spread.p99, spread.max)
    return (*map(format_duration, times), f"{spread.n:,}")


def _chart(groups: Sequence[Sequence[_Row]]) -> Spec:
    rows = Rows([Group(group[0].case, tuple(row.arm for row in group)) for group in groups])
    keyed = [(rows.key(g, r), row) for g, group in enumerate(groups) for r, row in enumerate(group)]
    spreads = [value for _, row in keyed for value in (row.spread.p50, row.spread.max, *row.strokes)]
    axis = seconds_axis(drawable(spreads) or [1.0])
    layers = [_strokes(keyed, axis, rows), _middle(keyed, axis, rows), _slowest(keyed, axis, rows)]
    return rows.drawn(layers, "Latency of single messages, one row of strokes for each case and arm")


def _x(axis: LogAxis) -> alt.X:
    return alt.X("s:Q", title="latency", scale=axis.scale, axis=axis.axis(grid=True))


def _strokes(keyed: Sequence[tuple[str, _Row]], axis: LogAxis, rows: Rows) -> alt.Chart:
    data = [{"row": key, "s": _rounded(value)} for key, row in keyed for value in drawable(row.strokes)]
    mark = inline(data).mark_tick(color=colour("mark"), thickness=1, opacity=0.55, bandSize=12, aria=False)
    return placed(mark, _x(axis), rows.y())


def _middle(keyed: Sequence[tuple[str, _Row]], axis: LogAxis, rows: Rows) -> alt.Chart:
    data = [_datum(key, row, row.spread.p50) for key, row in keyed if drawable([row.spread.p50])]
    mark = inline(data).mark_tick(color=colour("ink"), thickness=3, bandSize=20)
    return placed(mark, _x(axis), rows.y(), tooltip=_tooltips())


def _slowest(keyed: Sequence[tuple[str, _Row]], axis: LogAxis, rows: Rows) -> alt.Chart:
    data = [_datum(key, row, row.spread.max) for key, row in keyed if drawable([row.spread.max])]
    mark = inline(data).mark_point(color=colour("ink"), size=40, filled=False, strokeWidth=1.5, opacity=1)
    return placed(mark, _x(axis), rows.y(), tooltip=_tooltips())


def _tooltips() -> list[alt.Tooltip]:
    return tooltips(case="case", arm="arm", p50="p50", p95="p95", p99="p99", slowest="slowest", messages="messages")


def _datum(key: str, row: _Row, seconds: float) -> Datum:
    p50, p95, p99, slowest, messages = _numbers(row.spread)
    said = {"p50": p50, "p95": p95, "p99": p99, "slowest": slowest, "messages": messages}
    return {"row": key, "s": seconds, "case": row.case, "arm": row.arm, **said}


def _rounded(seconds: float) -> float:
    """Return `seconds` to four digits, more than a stroke can show."""
    return float(f"{seconds:.4g}")
