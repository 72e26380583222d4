"""The noise of a scenario: in each block, what identical code took against itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp

import altair as alt

from placement_cli.report.charts.axes import LogAxis, drawable, ratio_axis
from placement_cli.report.charts.drawing import inline, line_at, placed, spec_of, tooltips
from placement_cli.report.charts.rows import Datum
from placement_cli.report.charts.samples import Numbers, in_block, primary_of, reading_of
from placement_cli.report.naming import case_label, row_label
from placement_cli.report.picture import Panel, Picture, Spec, Table
from placement_cli.report.theme import colour
from placement_cli.statistics.control import CONTROL
from placement_cli.statistics.pairing import block_log_ratio
from placement_cli.store.run_document import BlockRecord, CaseRecord
from placement_cli.units import format_percent, format_ratio

HEIGHT = 170
READING = (
    "In each block the base arm ran in two processes: the ratio of the second, the control, to the first. Both run "
    "the same code, so what differs from 1 is noise."
)


@dataclass(frozen=True, slots=True)
class _Control:
    case: str
    block: int
    ratio: float
    rounds: int


def noise(cases: Sequence[CaseRecord], floor: float | None) -> Picture | None:
    """Return the control's ratio in every block; None where no control ran.

    `floor` is the scenario's noise floor, a relative change; its band is not drawn where it is None.
    """
    numbers = Numbers.of(cases)
    found = [each for case in cases for each in _controls(case, cases, numbers)]
    if not found:
        return None
    spec = _chart(found, floor)
    band = "" if floor is None else f" The band is the noise floor, {format_percent(floor)} for a median of all blocks."
    rows = tuple((each.case, str(each.block), format_ratio(each.ratio), str(each.rounds)) for each in found)
    table = Table(("case", "block", "control against base", "rounds"), rows)
    reading = READING + band + numbers.sentence()
    return Picture("noise", "Noise: the control in each block", reading, (Panel("", spec),), table)


def _controls(case: CaseRecord, among: Sequence[CaseRecord], numbers: Numbers) -> Iterator[_Control]:
    name = case_label(case, among)
    base = row_label(case, case.base)
    for block in case.blocks:
        pairs = control_pairs(case, block) if block.valid else []
        if pairs:
            ratio = exp(block_log_ratio([first for first, _ in pairs], [second for _, second in pairs]))
            yield _Control(f"{name}, {base}", numbers(block), ratio, len(pairs))


def control_pairs(case: CaseRecord, block: BlockRecord) -> list[tuple[float, float]]:
    """Return the readings of base and control in each round of a block; none where a round lacks either."""
    metric = primary_of(case)
    if metric is None:
        return []
    first, second = ([reading_of(each, metric) for each in in_block(block, arm)] for arm in (case.base, CONTROL))
    if len(first) != len(second):
        return []
    return [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]


def _chart(found: Sequence[_Control], floor: float | None) -> Spec:
    band = drawable([1 / (1 + floor), 1 + floor]) if floor is not None and floor > -1 else []
    axis = ratio_axis([*(each.ratio for each in found), *band])
    places = [_x(max(each.block for each in found)), _y(axis, "ratio")]
    mark = inline([_datum(each) for each in found]).mark_point(filled=True, size=60, opacity=1, color=colour("mark"))
    shown = tooltips(case="case", block="block", said="control against base", rounds="rounds")
    layers = [*_band(band, axis), line_at(1, across=True), placed(mark, *places, tooltip=shown)]
    return spec_of(layers, "The control's ratio to the base in every block", HEIGHT)


def _datum(each: _Control) -> Datum:
    said = f"{format_ratio(each.ratio)}\u00d7"
    return {"case": each.case, "block": each.block, "ratio": each.ratio, "said": said, "rounds": each.rounds}


def _band(band: Sequence[float], axis: LogAxis) -> list[alt.Chart]:
    if len(band) < 2:
        return []
    mark = inline([{"least": band[0], "most": band[1]}]).mark_rect(color=colour("band"), aria=False)
    return [placed(mark, _y(axis, "least"), alt.Y2("most"))]


def _x(last: int) -> alt.X:
    axis = alt.Axis(grid=False, tickMinStep=1, format="d", tickCount=min(last, 8))
    return alt.X("block:Q", title="block", scale=alt.Scale(domain=[0.5, last + 0.5], nice=False), axis=axis)


def _y(axis: LogAxis, field: str) -> alt.Y:
    return alt.Y(f"{field}:Q", title="control to base", scale=axis.scale, axis=axis.axis(grid=True, domain=False))
