"""One message under each mode: how long the host is held, working or waiting, and when the values are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import altair as alt

from placement_cli.measure.specs import Reading
from placement_cli.report.charts.axes import NUMBER_LABEL
from placement_cli.report.charts.drawing import inline, placed, spec_of, tooltips
from placement_cli.report.charts.rows import NAME_ROOM, STEP, Datum
from placement_cli.report.charts.samples import measured, summarised
from placement_cli.report.naming import case_label, row_label
from placement_cli.report.picture import Panel, Picture, Spec, Table
from placement_cli.report.theme import colour
from placement_cli.store.run_document import CaseRecord
from placement_cli.units import format_duration

WORKING, BLOCKED, HELD, WAITING = "host working", "host blocked in a call", "host held", "host done, values not there"
LANES: Mapping[str, str] = {WORKING: "work", BLOCKED: "held", HELD: "work", WAITING: "wait"}
"""What the host does, and its colour."""
SHOWN = frozenset({Reading.STREAM, Reading.BURST, Reading.PENDING})
"""Readings in which messages follow one another at once, so that their time is that of the work."""
READING = (
    "Median times of a sample divided by its messages: one average message, not the recording of one. The bar is the "
    "host; the thin line below it is the stretch in which the device may have been at work. When in that stretch it "
    "worked was not recorded. The host's CPU time, where it was read, says how much of a call was waiting."
)
VALUES = "values"
"""The operator that reads values on the host, which evaluates."""
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "\u00b5s"), (1e-9, "ns"))


@dataclass(frozen=True, slots=True)
class Stretch:
    """What the host does from `start_s` to `end_s` of an average message."""

    what: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Lane:
    """An average message of one arm: the stretches of the host, and when the device may have worked, or None."""

    case: str
    arm: str
    host: tuple[Stretch, ...]
    device: tuple[float, float] | None

    @property
    def end_s(self) -> float:
        """When the values are there."""
        return self.host[-1].end_s


def timeline(cases: Sequence[CaseRecord]) -> Picture | None:
    """Return one message of every arm, a panel for each case; None where messages came at times of their own."""
    found: dict[str, list[Lane]] = {}
    for case in cases:
        if case.reading in SHOWN:
            found.setdefault(case_label(case, cases), []).extend(_lanes(case, cases))
    drawn = {label: lanes for label, lanes in found.items() if any(lane.end_s > 0 for lane in lanes)}
    if not drawn:
        return None
    panels = tuple(Panel(label, _chart(label, lanes)) for label, lanes in drawn.items())
    rows = tuple((lane.case, lane.arm, *_numbers(lane)) for lanes in drawn.values() for lane in lanes)
    headings = ("case", "arm", WORKING, BLOCKED, "host held in all", WAITING, "values there after")
    return Picture("timeline", "One message, host and device", READING, panels, Table(headings, rows, words=2))


def _lanes(case: CaseRecord, among: Sequence[CaseRecord]) -> list[Lane]:
    label = case_label(case, among)
    return [Lane(label, row_label(case, arm), *_message(case, arm)) for arm in summarised(case)]


def _message(case: CaseRecord, arm: str) -> tuple[tuple[Stretch, ...], tuple[float, float] | None]:
    summary = case.summary[arm]
    held_s = max(0.0, summary.dispatch_s.median)
    end_s = max(held_s, summary.complete_s.median)
    cpu = [each.host_cpu_s / each.messages for each in measured(case, arm) if each.host_cpu_s is not None]
    host = (*_held(held_s, median(cpu) if cpu else None), Stretch(WAITING, held_s, end_s))
    return host, device_stretch(case, arm, held_s, end_s)


def _held(held_s: float, cpu_s: float | None) -> tuple[Stretch, ...]:
    if cpu_s is None:
        return (Stretch(HELD, 0.0, held_s),)
    worked_s = min(max(0.0, cpu_s), held_s)
    return (Stretch(WORKING, 0.0, worked_s), Stretch(BLOCKED, worked_s, held_s))


def device_stretch(case: CaseRecord, arm: str, held_s: float, end_s: float) -> tuple[float, float] | None:
    """Return from when to when the device may work: what nothing submits is not begun before the end of the stream."""
    if _submits(case, arm):
        return (0.0, end_s)
    return None if case.reading == Reading.BURST else (held_s, end_s)


def _submits(case: CaseRecord, arm: str) -> bool:
    facts = case.arms[arm]
    nodes = case.pipeline.get("nodes")
    ends_on_host = isinstance(nodes, list) and any(isinstance(n, dict) and n.get("op") == VALUES for n in nodes)
    return bool(facts.get("sites") or facts.get("values") or ends_on_host)


def _numbers(lane: Lane) -> tuple[str, ...]:
    lengths = {each.what: each.end_s - each.start_s for each in lane.host}
    held_s = lane.host[-1].start_s
    known = [format_duration(lengths[what]) if what in lengths else "not read" for what in (WORKING, BLOCKED)]
    return (*known, format_duration(held_s), format_duration(lengths[WAITING]), format_duration(lane.end_s))


def unit_for(seconds: float) -> tuple[float, str]:
    """Return the unit in which `seconds` is 1 or more, and its name; nanoseconds for what is shorter."""
    return next((unit for unit in UNITS if seconds >= unit[0]), UNITS[-1])


def _chart(label: str, lanes: Sequence[Lane]) -> Spec:
    factor, unit = unit_for(max(lane.end_s for lane in lanes))
    order = [f"{number}\t{lane.arm}" for number, lane in enumerate(lanes)]
    bars = [_bar(order[n], lane, each, factor) for n, lane in enumerate(lanes) for each in lane.host if _long(each)]
    lines = [
        {"row": order[n], "from": lane.device[0] / factor, "to": lane.device[1] / factor}
        for n, lane in enumerate(lanes)
        if lane.device
    ]
    places = _Places(order, unit)
    layers = [places.host(bars), places.device(lines)]
    return spec_of(layers, f"One average message under each arm, {label}", (STEP + 4) * len(lanes))


def _long(stretch: Stretch) -> bool:
    return stretch.end_s > stretch.start_s


def _bar(row: str, lane: Lane, stretch: Stretch, factor: float) -> Datum:
    return {
        "row": row,
        "arm": lane.arm,
        "what": stretch.what,
        "from": stretch.start_s / factor,
        "to": stretch.end_s / factor,
        "length": format_duration(stretch.end_s - stretch.start_s),
        "end": format_duration(lane.end_s),
    }


@dataclass(frozen=True, slots=True)
class _Places:
    """Where bars stand: rows from top to bottom, time in `unit` from left to right."""

    rows: Sequence[str]
    unit: str

    def host(self, bars: Sequence[Datum]) -> alt.Chart:
        mark = inline(bars).mark_bar(height=10, yOffset=-3, stroke=colour("work"), strokeWidth=1)
        kinds = [what for what in LANES if any(bar["what"] == what for bar in bars)]
        scale = alt.Scale(domain=kinds, range=[colour(LANES[what]) for what in kinds])
        legend = alt.Legend(title=None, orient="top", columns=1, symbolType="square", labelLimit=260)
        fill = alt.Fill("what:N", scale=scale, legend=legend)
        shown = tooltips(arm="arm", what="what", length="for", end="values there after")
        return placed(mark, self._x(), alt.X2("to"), self._y(), fill, tooltip=shown)

    def device(self, lines: Sequence[Datum]) -> alt.Chart:
        mark = inline(lines).mark_rule(stroke=colour("muted"), strokeWidth=2, strokeCap="butt", yOffset=7, aria=False)
        return placed(mark, self._x(), alt.X2("to"), self._y())

    def _x(self) -> alt.X:
        axis = alt.Axis(grid=True, tickCount=5, labelExpr=NUMBER_LABEL, domain=False, ticks=False)
        return alt.X("from:Q", title=f"{self.unit} from the message's start", axis=axis, scale=alt.Scale(zero=True))

    def _y(self) -> alt.Y:
        label = "slice(datum.value, indexof(datum.value, '\t') + 1)"
        axis = alt.Axis(labelExpr=label, labelLimit=NAME_ROOM, ticks=False, domain=False)
        return alt.Y("row:N", title=None, scale=alt.Scale(domain=list(self.rows), paddingInner=0.2), axis=axis)
