"""Ratios against the base with their intervals: one row for each case and arm, one panel for each metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import altair as alt

from placement_cli.bench.figures import AMOUNTS, verdict_word
from placement_cli.bench.metrics import TITLES
from placement_cli.report.charts.axes import LogAxis, drawable, ratio_axis
from placement_cli.report.charts.drawing import inline, line_at, placed, tooltips
from placement_cli.report.charts.rows import Datum, Group, Rows
from placement_cli.report.naming import arm_label, case_label
from placement_cli.report.picture import Panel, Picture, Spec, Table
from placement_cli.report.theme import colour
from placement_cli.store.run_document import CaseRecord, Comparison, Confirmation
from placement_cli.units import format_percent, format_ratio

"""What each metric is called."""
SHAPES = {
    "slower": "triangle-right",
    "faster": "triangle-left",
    "same": "circle",
    "inconclusive": "diamond",
    "invalid": "cross",
}
"""A mark for each verdict: it is told by its form, and by colour besides."""
READING = (
    "Each mark is the median ratio to the base over blocks of fresh processes, the line its interval. Right of 1 is "
    "slower, or more. Within the shaded limit no effect is called one."
)
AMOUNT_WORDS = "datum.label == 'slower' ? 'more' : datum.label == 'faster' ? 'less' : datum.label"
"""How the legend of bytes and shares calls what is slower or faster of times."""
AGAIN = "measured again"
"""Behind the name of a row that shows the confirmation of the one above."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One row: a comparison, or what fresh blocks said of it."""

    case: str
    name: str
    base: str
    comparison: Comparison
    again: Confirmation | None = None

    @property
    def ratio(self) -> float | None:
        return (self.again or self.comparison).ratio

    @property
    def ci(self) -> tuple[float, float] | None:
        return (self.again or self.comparison).ci

    @property
    def n_blocks(self) -> int:
        return (self.again or self.comparison).n_blocks

    @property
    def verdict(self) -> str:
        if self.again is None:
            return verdict_word(self.comparison)
        return "confirmed" if self.again.repeated else "not confirmed"

    @property
    def interval(self) -> str:
        return "" if self.ci is None else f"{format_ratio(self.ci[0])} to {format_ratio(self.ci[1])}"


def ratios(cases: Sequence[CaseRecord]) -> Picture | None:
    """Return the ratios of `cases`, which are of one scenario; None where nothing is compared."""
    found = {metric: _grouped(cases, metric) for metric in _metrics(cases)}
    panels = tuple(Panel(TITLES.get(metric, metric), _chart(groups, metric)) for metric, groups in found.items())
    rows = [
        (TITLES.get(metric, metric), row.case, row.name, row.base, *_numbers(row))
        for metric, groups in found.items()
        for group in groups
        for row in group
    ]
    headings = ("metric", "case", "arm", "base", "verdict", "ratio", "interval", "blocks", "limit", "noise floor")
    if not rows:
        return None
    return Picture("ratios", "Against the base", READING, panels, Table(headings, tuple(rows), words=5))


def _metrics(cases: Sequence[CaseRecord]) -> list[str]:
    return list(dict.fromkeys(each.metric for case in cases for each in case.comparisons))


def _numbers(row: _Row) -> tuple[str, ...]:
    ratio = "" if row.ratio is None else format_ratio(row.ratio)
    limit, noise = row.comparison.limit, row.comparison.noise_floor
    return (row.verdict, ratio, row.interval, str(row.n_blocks), format_percent(limit), format_percent(noise))


def _grouped(cases: Sequence[CaseRecord], metric: str) -> list[list[_Row]]:
    """Return the rows of `metric`, those of each case together."""
    groups: dict[str, list[_Row]] = {}
    for case in cases:
        label = case_label(case, cases)
        groups.setdefault(label, []).extend(_rows_of(case, label, metric))
    return [rows for rows in groups.values() if rows]


def _rows_of(case: CaseRecord, label: str, metric: str) -> Iterator[_Row]:
    for each in case.comparisons:
        if each.metric != metric:
            continue
        name = arm_label(case, each.new)
        yield _Row(label, name, each.base, each)
        if each.confirmation is not None:
            yield _Row(label, f"{name}, {AGAIN}", each.base, each, each.confirmation)


def _chart(groups: Sequence[Sequence[_Row]], metric: str) -> Spec:
    rows = Rows([Group(group[0].case, tuple(row.name for row in group)) for group in groups])
    data = [_datum(row, rows.key(g, r)) for g, group in enumerate(groups) for r, row in enumerate(group)]
    drawn = [each for each in data if drawable([each["ratio"]])]
    axis = ratio_axis(drawable(each[key] for each in data for key in ("ratio", "low", "high", "least", "most")))
    title = TITLES.get(metric, metric)
    layers = [
        _limits(data, axis, rows),
        line_at(1),
        _intervals(drawn, axis, rows, metric),
        _marks(drawn, axis, rows, metric),
    ]
    return rows.drawn([*layers, _unknown(data, drawn, rows)], f"{title}: ratios to the base with their intervals")


def _datum(row: _Row, key: str) -> Datum:
    low, high = row.ci or (None, None)
    return {
        "row": key,
        "case": row.case,
        "arm": row.name,
        "ratio": row.ratio,
        "low": low if drawable([low, high]) == [low, high] else None,
        "high": high,
        "least": 1 / (1 + row.comparison.limit) if row.comparison.limit > -1 else None,
        "most": 1 + row.comparison.limit,
        "kind": row.comparison.verdict,
        "verdict": row.verdict,
        "shown": f"{_numbers(row)[1] or 'none'} ({row.interval or 'no interval'})",
        "blocks": row.n_blocks,
        "limit": format_percent(row.comparison.limit),
    }


def _x(field: str, axis: LogAxis) -> alt.X:
    return alt.X(f"{field}:Q", title="ratio to the base", scale=axis.scale, axis=axis.axis(grid=True))


def _tooltips() -> list[alt.Tooltip]:
    return tooltips(case="case", arm="arm", shown="ratio", verdict="verdict", blocks="blocks", limit="limit")


def _limits(data: Sequence[Datum], axis: LogAxis, rows: Rows) -> alt.Chart:
    shaded = [each for each in data if len(drawable([each["least"], each["most"]])) == 2]
    mark = inline(shaded).mark_bar(color=colour("band"), height=alt.RelativeBandSize(1.25), aria=False)
    return placed(mark, _x("least", axis), alt.X2("most"), rows.y())


def _scales(data: Sequence[Datum], metric: str) -> tuple[alt.Color, alt.Shape]:
    """Return colour and form of the verdicts; the legend shows those that occur, in the words of `metric`."""
    words = AMOUNT_WORDS if metric in AMOUNTS else "datum.label"
    kinds = list(SHAPES)
    met = [kind for kind in kinds if any(each["kind"] == kind for each in data)]
    legend = alt.Legend(title=None, orient="top", values=met, columns=2, symbolOpacity=1, labelExpr=words)
    fill = alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=[colour(kind) for kind in kinds]), legend=legend)
    form = alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=list(SHAPES.values())), legend=legend)
    return fill, form


def _intervals(drawn: Sequence[Datum], axis: LogAxis, rows: Rows, metric: str) -> alt.Chart:
    bounded = [each for each in drawn if each["low"] is not None]
    mark = inline(bounded).mark_rule(strokeWidth=2, aria=False)
    return placed(mark, _x("low", axis), alt.X2("high"), rows.y(), _scales(drawn, metric)[0], tooltip=_tooltips())


def _marks(drawn: Sequence[Datum], axis: LogAxis, rows: Rows, metric: str) -> alt.Chart:
    mark = inline(drawn).mark_point(filled=True, size=70, opacity=1)
    return placed(mark, _x("ratio", axis), rows.y(), *_scales(drawn, metric), tooltip=_tooltips())


def _unknown(data: Sequence[Datum], drawn: Sequence[Datum], rows: Rows) -> alt.Chart:
    """Return words where a row has no ratio."""
    left_out = [{**each, "says": f"{each['verdict']}: no ratio"} for each in data if each not in drawn]
    mark = inline(left_out).mark_text(align="left", fill=colour("muted"), fontStyle="italic")
    return placed(mark, rows.y(), x=alt.value(4), text="says:N", tooltip=_tooltips())
