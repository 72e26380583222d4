"""Drift over a scenario: what each sample took against the median of its own arm, in the order of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median

import altair as alt

from placement_cli.report.charts.axes import NUMBER_LABEL, LogAxis, drawable, ratio_axis
from placement_cli.report.charts.drawing import inline, line_at, placed, spec_of, tooltips
from placement_cli.report.charts.rows import Datum
from placement_cli.report.charts.samples import Numbers, in_block, primary_of, reading_of
from placement_cli.report.naming import case_label
from placement_cli.report.picture import Panel, Picture, Spec, Table
from placement_cli.report.theme import colour
from placement_cli.store.run_document import BlockRecord, CaseRecord
from placement_cli.units import format_duration, format_ratio

HEIGHT = 170
MOST_DOTS = 300
"""Dots of a picture: of more samples every k-th is drawn, in the order of time."""
MOST_S = 1e9
"""No clock that samples are timed with is further from its zero."""
READING = (
    "Each dot is a sample, divided by the median of its own arm and case; each line the median of one case in one "
    "block. A slope that lasts is a machine that warms up or is getting busier."
)


@dataclass(frozen=True, slots=True)
class _Dot:
    at_s: float
    relative: float


@dataclass(frozen=True, slots=True)
class _Block:
    """The samples of one case in one block, at least one."""

    case: str
    index: int
    remark: str
    dots: tuple[_Dot, ...]

    @property
    def middle(self) -> float:
        return median(dot.relative for dot in self.dots)


def drift(cases: Sequence[CaseRecord]) -> Picture | None:
    """Return the samples over time; None where the document holds none."""
    numbers = Numbers.of(cases)
    found = (each for case in cases for each in _blocks(case, cases, numbers))
    blocks = sorted(found, key=lambda each: each.dots[0].at_s)
    if not blocks:
        return None
    dots = sorted((dot for block in blocks for dot in block.dots), key=lambda dot: dot.at_s)
    every = ceil(len(dots) / MOST_DOTS)
    some = "" if every == 1 else f" One in {every} of {len(dots):,} samples is drawn."
    panel = Panel("", _chart(dots[::every], blocks, dots[0].at_s))
    about = "The blocks of this picture, samples of all cases summed up"
    reading = READING + numbers.sentence() + some
    return Picture("drift", "Drift: samples over time", reading, (panel,), _table(blocks, dots[0].at_s), about)


def _blocks(case: CaseRecord, among: Sequence[CaseRecord], numbers: Numbers) -> Iterator[_Block]:
    usual = _usual(case)
    label = case_label(case, among)
    for block in case.blocks:
        dots = sorted(_dots(case, block, usual), key=lambda dot: dot.at_s)
        if dots:
            remarks = ("measured again" if block.confirms else "", block.kind)
            yield _Block(label, numbers(block), ", ".join(filter(None, remarks)), tuple(dots))


def _arms(case: CaseRecord) -> list[str]:
    return list(dict.fromkeys(sample.arm for block in case.blocks for sample in block.samples))


def _usual(case: CaseRecord) -> dict[str, float]:
    """Return the median reading of each arm, over the samples of all blocks but those that confirm."""
    metric = primary_of(case)
    if metric is None:
        return {}
    first = [block for block in case.blocks if not block.confirms]
    read = {
        arm: drawable(reading_of(each, metric) for block in first for each in in_block(block, arm))
        for arm in _arms(case)
    }
    return {arm: median(values) for arm, values in read.items() if values}


def _dots(case: CaseRecord, block: BlockRecord, usual: dict[str, float]) -> Iterator[_Dot]:
    metric = primary_of(case)
    if metric is None:
        return
    for arm, middle in usual.items():
        for sample in in_block(block, arm):
            value = reading_of(sample, metric)
            if value is not None and abs(sample.at_s) < MOST_S:
                yield _Dot(sample.at_s, value / middle)


def _table(blocks: Sequence[_Block], began_s: float) -> Table:
    """Return a row for each block, all its cases together."""
    headings = ("block", "remarks", "begins after", "median", "lowest", "highest", "samples")
    numbers = sorted({block.index for block in blocks})
    rows = (_row([block for block in blocks if block.index == number], began_s) for number in numbers)
    return Table(headings, tuple(rows), words=2)


def _row(cases: Sequence[_Block], began_s: float) -> tuple[str, ...]:
    values = [dot.relative for case in cases for dot in case.dots]
    remarks = "; ".join(f"{case.remark} at {case.case}" for case in cases if case.remark)
    begins = format_duration(min(case.dots[0].at_s for case in cases) - began_s)
    ratios = (median(values), min(values), max(values))
    return (str(cases[0].index), remarks, begins, *map(format_ratio, ratios), str(len(values)))


def _chart(dots: Sequence[_Dot], blocks: Sequence[_Block], began_s: float) -> Spec:
    last_s = max(block.dots[-1].at_s for block in blocks) - began_s
    factor, unit = (60.0, "min") if last_s > 180 else (1.0, "s")
    axis = ratio_axis([*(dot.relative for dot in dots), *(block.middle for block in blocks)])
    x = _x("at", unit, last_s / factor)
    samples = inline([_datum(dot, (dot.at_s - began_s) / factor) for dot in dots])
    dot_mark = samples.mark_point(filled=True, size=14, opacity=0.45, color=colour("mark"), aria=False)
    shown = tooltips(case="case", block="block", said="median against that of the arm")
    each = [alt.Tooltip("relative:Q", title="against the arm's median", format=".3~f")]
    layers = [
        line_at(1, across=True),
        placed(dot_mark, x, _y(axis), tooltip=each),
        placed(_middles(blocks, began_s, factor), x, alt.X2("until"), _y(axis), tooltip=shown),
    ]
    return spec_of(layers, "Samples over time against the median of their arm", HEIGHT)


def _datum(dot: _Dot, at: float) -> Datum:
    return {"at": round(at, 3), "relative": float(f"{dot.relative:.4g}")}


def _middles(blocks: Sequence[_Block], began_s: float, factor: float) -> alt.Chart:
    data = [
        {
            "case": block.case,
            "block": block.index,
            "at": (block.dots[0].at_s - began_s) / factor,
            "until": (block.dots[-1].at_s - began_s) / factor,
            "relative": block.middle,
            "said": f"{format_ratio(block.middle)}\u00d7",
        }
        for block in blocks
    ]
    lines: alt.Chart = inline(data).mark_rule(stroke=colour("ink"), strokeWidth=2)
    return lines


def _x(field: str, unit: str, last: float) -> alt.X:
    axis = alt.Axis(grid=False, tickCount=6, labelExpr=NUMBER_LABEL)
    scale = alt.Scale(domain=[0, last or 1.0], nice=False)
    return alt.X(f"{field}:Q", title=f"{unit} since the first sample", scale=scale, axis=axis)


def _y(axis: LogAxis) -> alt.Y:
    shown = axis.axis(grid=True, domain=False)
    return alt.Y("relative:Q", title="to its median", scale=axis.scale, axis=shown)
