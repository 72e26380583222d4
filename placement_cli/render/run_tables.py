"""The tables of a run: one or more a scenario, in the form that suits its reading and the width of the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from placement_cli.bench.figures import FIGURES, HOST, TIME, WAITED, Figure
from placement_cli.measure.specs import Reading
from placement_cli.render.cells import against, arm_cell, quantity
from placement_cli.render.grid import grid
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import harmless, plain
from placement_cli.render.sheet import Group, Row, Sheet, fit, fits
from placement_cli.store.run_document import CaseRecord, RunDocument, ScenarioRecord

TITLES = {
    "complete_s": "time per message until the values are there",
    "dispatch_s": "time per message that the host is held",
    "in_flight_bytes": "peak bytes in flight",
}
MATRICES = {
    Reading.STREAM: ("complete_s", "in_flight_bytes"),
    Reading.BURST: ("dispatch_s",),
}
"""Which metrics a reading shows as a table of cases by arms."""
ROWS = {
    Reading.QUEUE: ("dispatch_s", "the first call that blocks while the device is held"),
    Reading.PENDING: ("complete_s", "what is left pending while output is withheld, and the time of a message"),
    Reading.PACED: ("latency_s", "latency from message in to values out; p50 against that of the base"),
}
"""Which readings are shown in rows of figures, by the metric that is compared in them, and their titles."""
SUBMITTING = (HOST, TIME, WAITED)
"""What is shown where every arm is an ASYNC: does submitting wait?"""


def scenario_tables(document: RunDocument, scenario: ScenarioRecord, width: int) -> Iterator[RenderableType]:
    """Yield the heading and the tables of one scenario, line by line, at most `width` columns wide."""
    cases = [case for case in document.cases if case.scenario == scenario.name]
    yield Hanging(plain(scenario.question), plain(f"{scenario.name}  ", "bold"))
    if not cases:
        yield Text("no case was measured", style="bold red")
        return
    reading = Reading(cases[0].reading)
    for metric in MATRICES.get(reading, ()):
        yield _title(TITLES[metric])
        yield from _matrix(cases, metric, width)
        yield Text()
    for title, sheet in _sheets(cases, reading):
        yield _title(title)
        yield sheet
        yield Text()
    yield _footnote(scenario, cases)


def _sheets(cases: Sequence[CaseRecord], reading: Reading) -> Iterator[tuple[str, Sheet]]:
    """Yield the tables with a row for each arm, and their titles."""
    if reading in ROWS:
        metric, title = ROWS[reading]
        yield title, _rows(cases, FIGURES[reading], metric)
    if all(f"waited_share[{arm}]" in _estimates(case) for case in cases for arm in case.arms):
        yield "how long submitting a message holds the host", _rows(cases, SUBMITTING)


def _title(title: str) -> Hanging:
    return Hanging(Text(title, style="italic"))


def _estimates(case: CaseRecord) -> set[str]:
    return {estimate.name for estimate in case.estimates}


def _footnote(scenario: ScenarioRecord, cases: Sequence[CaseRecord]) -> Hanging:
    counts = sorted({len(case.counted) for case in cases})
    blocks = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    text = f"{blocks} blocks of fresh processes"
    if any(case.comparisons for case in cases):
        noise = "not measured" if scenario.noise_floor is None else f"{100 * scenario.noise_floor:.2g} %"
        text += f"; noise floor {noise}; above 1x is slower or more"
    return Hanging(Text(f"{text}.", style="dim"))


def _case_keys(cases: Sequence[CaseRecord]) -> list[str]:
    """Return the parameters that tell the cases apart; a lone case shows them all."""
    keys = list(dict.fromkeys(key for case in cases for key in case.params))
    varying = [key for key in keys if len({case.params.get(key) for case in cases}) > 1]
    return varying or keys


def _where(case: CaseRecord, keys: Sequence[str]) -> tuple[Text, ...]:
    return tuple(plain(str(case.params.get(key, ""))) for key in keys)


def _arm(case: CaseRecord, name: str) -> Text:
    """Return the name of an arm; where others are compared with it, that is said beside it."""
    return Text(f"{harmless(name)} (base)") if name == case.base and len(case.arms) > 1 else plain(name)


def _matrix(cases: Sequence[CaseRecord], metric: str, width: int) -> list[Text]:
    """Return cases by arms; where that is too wide, a row for each arm of each case."""
    names, keys = list(dict.fromkeys(name for case in cases for name in case.arms)), _case_keys(cases)
    headings = [*map(plain, keys), *(_arm(cases[0], name) for name in names)]
    rows = [(*_where(case, keys), *(arm_cell(case, name, metric) for name in names)) for case in cases]
    lines = grid(headings, [[row] for row in rows])
    if fits(lines, width):
        return lines
    return fit(_rows(cases, (_median(metric),), metric), width)


def _median(metric: str) -> Figure:
    def read(case: CaseRecord, arm: str) -> str:
        summary = case.summary.get(arm)
        return "not measured" if summary is None else quantity(summary, metric)

    return Figure("median", read)


def _rows(cases: Sequence[CaseRecord], figures: Sequence[Figure], metric: str = "") -> Sheet:
    """Return a row for each arm of each case with `figures`, compared in `metric`."""
    keys = _case_keys(cases)
    groups = [
        Group(_where(case, keys), tuple(_row(case, name, figures, metric) for name in case.arms)) for case in cases
    ]
    headings = ("arm", *(figure.heading for figure in figures))
    return Sheet(tuple(map(plain, keys)), headings, tuple(groups))


def _row(case: CaseRecord, name: str, figures: Sequence[Figure], metric: str) -> Row:
    cells = (Text(figure.read(case, name)) for figure in figures)
    return Row((_arm(case, name), *cells), against(case, name, metric) if metric else None)
