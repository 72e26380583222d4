"""The tables of a run: one a scenario, in the form that suits its reading and the width of the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from placement_cli.render.cells import VERDICT_STYLES, arm_cell, more_or_less, quantity, ratio_text
from placement_cli.render.plain import plain
from placement_cli.store.run_document import (
    ArmSummary,
    CaseRecord,
    Comparison,
    LatencySpread,
    RunDocument,
    ScenarioRecord,
)
from placement_cli.units import format_duration, format_size

CONTROL = "control"
CELL_WIDTH = 21
"""Columns that a cell with ratio and interval takes, its padding included."""

TITLES = {
    "complete_s": "time per message until the values are there",
    "dispatch_s": "time per message that the host is held",
    "in_flight_bytes": "peak bytes in flight",
}
MATRICES: dict[str, tuple[str, ...]] = {
    "stream": ("complete_s", "in_flight_bytes"),
    "burst": ("dispatch_s",),
}
"""Which metrics a reading shows as a table of cases by arms."""


def scenario_tables(document: RunDocument, scenario: ScenarioRecord, width: int) -> Iterator[RenderableType]:
    """Yield the heading and the tables of one scenario, at most `width` columns wide."""
    cases = [case for case in document.cases if case.scenario == scenario.name]
    yield Text.assemble((plain(scenario.name).plain, "bold"), "  ", plain(scenario.question))
    if not cases:
        yield Text("no case was measured", style="bold red")
        return
    reading = cases[0].reading
    for metric in MATRICES.get(reading, ()):
        yield _matrix(cases, metric, width)
    if reading == "queue":
        yield _queue_table(cases)
    elif reading == "pending":
        yield _pending_table(cases)
    elif reading == "paced":
        yield _paced_table(cases)
    yield _footnote(scenario, cases)


def _footnote(scenario: ScenarioRecord, cases: Sequence[CaseRecord]) -> Text:
    counts = sorted({sum(block.valid for block in case.blocks) for case in cases})
    blocks = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    text = f"{blocks} blocks of fresh processes"
    if any(case.comparisons for case in cases):
        noise = "not measured" if scenario.noise_floor is None else f"{100 * scenario.noise_floor:.2g} %"
        text += f"; noise floor {noise}; above 1x is slower or more"
    return Text(f"{text}.", style="dim")


def _arm_names(cases: Sequence[CaseRecord]) -> list[str]:
    return list(dict.fromkeys(name for case in cases for name in case.arms))


def _case_columns(cases: Sequence[CaseRecord]) -> list[str]:
    """Return the parameters that tell the cases apart; a lone case shows them all."""
    keys = list(dict.fromkeys(key for case in cases for key in case.params))
    varying = [key for key in keys if len({case.params.get(key) for case in cases}) > 1]
    return varying or keys


def _case_cells(case: CaseRecord, keys: Sequence[str]) -> list[Text]:
    return [plain(str(case.params.get(key, ""))) for key in keys] or [Text("-")]


def _empty_table(title: str) -> Table:
    return Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="italic", pad_edge=False)


def _start(title: str, keys: Sequence[str]) -> Table:
    table = _empty_table(title)
    for key in keys or ["case"]:
        table.add_column(plain(key), no_wrap=True)
    return table


def _matrix(cases: Sequence[CaseRecord], metric: str, width: int) -> Table:
    """Return cases by arms; where that is too wide, one row for each arm of each case."""
    names, keys = _arm_names(cases), _case_columns(cases)
    if CELL_WIDTH * (len(names) + max(1, len(keys)) - 1) > width:
        return _long(cases, metric, keys)
    table = _start(TITLES[metric], keys)
    for name in names:
        label = f"{name} (base)" if name == cases[0].base else name
        table.add_column(plain(label), justify="left")
    for case in cases:
        cells = [_cell(case, name, metric) for name in names]
        table.add_row(*_case_cells(case, keys), *cells)
    return table


def _cell(case: CaseRecord, name: str, metric: str) -> Text:
    if name not in case.arms:
        return Text("same points as another arm", style="dim")
    return arm_cell(case.summary.get(name), _comparison(case, name, metric), metric)


def _comparison(case: CaseRecord, name: str, metric: str) -> Comparison | None:
    found = (each for each in case.comparisons if each.new == name and each.metric == metric)
    return next(found, None)


def _long(cases: Sequence[CaseRecord], metric: str, keys: Sequence[str]) -> Table:
    table = _start(TITLES[metric], keys)
    for heading in ("arm", "median", "against base", "verdict"):
        table.add_column(heading, no_wrap=heading != "verdict")
    for case in cases:
        for number, name in enumerate(case.arms):
            where = _case_cells(case, keys) if number == 0 else [Text("")] * max(1, len(keys))
            table.add_row(*where, *_long_cells(case, name, metric), end_section=number == len(case.arms) - 1)
    return table


def _long_cells(case: CaseRecord, name: str, metric: str) -> list[Text]:
    summary, comparison = case.summary.get(name), _comparison(case, name, metric)
    middle = Text("-" if summary is None else quantity(summary, metric), style="bold")
    if comparison is None:
        return [plain(name), middle, Text("base"), Text("")]
    return [plain(name), middle, Text(ratio_text(comparison)), _verdict(comparison)]


def _verdict(comparison: Comparison | None) -> Text:
    if comparison is None:
        return Text("base")
    return Text(more_or_less(comparison), style=VERDICT_STYLES[comparison.verdict])


def _queue_table(cases: Sequence[CaseRecord]) -> Table:
    keys = _case_columns(cases)
    table = _start("the first call that blocks while the device is held", keys)
    for heading in ("stalls in call", "ops outstanding", "messages tried"):
        table.add_column(heading)
    for case in cases:
        by_name = {estimate.name: estimate for estimate in case.estimates}
        call, ops = by_name.get("stall_call"), by_name.get("stall_ops")
        tried = str(case.blocks[0].messages) if case.blocks else "-"
        if call is None:
            cells = ["not measured", "-"]
        elif call.value is None or ops is None or ops.value is None:
            cells = ["none", "-"]
        else:
            bounds = "" if call.low is None or call.high is None else f" [{call.low:.0f}, {call.high:.0f}]"
            cells = [f"{call.value:.0f}{bounds}", f"{ops.value:.0f}"]
        table.add_row(*_case_cells(case, keys), *cells, tried)
    return table


def _pending_table(cases: Sequence[CaseRecord]) -> Table:
    headings = (
        "arm",
        "ops pending at end",
        "held at end",
        "median",
        "longest",
        "left at end",
        "time",
        "verdict",
    )
    table, keys = _arm_rows(cases, "what piles up while output is withheld", headings)
    for case in cases:
        for number, name in enumerate(case.arms):
            _arm_row(table, case, name, keys, number, _pending_cells(case.summary.get(name)), "complete_s")
    return table


def _pending_cells(summary: ArmSummary | None) -> list[str]:
    if summary is None or summary.pending_ops_end is None or summary.pending_bytes_end is None:
        return ["-"] * 5
    latency, finish = summary.latency_s, summary.finish_s
    return [
        f"{summary.pending_ops_end.median:.0f}",
        format_size(summary.pending_bytes_end.median),
        "-" if latency is None else format_duration(latency.p50),
        "-" if latency is None else format_duration(latency.max),
        "-" if finish is None else format_duration(finish.median),
    ]


def _paced_table(cases: Sequence[CaseRecord]) -> Table:
    headings = ("arm", "p50", "p95", "p99", "max", "late", "host free", "p50 ratio", "verdict")
    table, keys = _arm_rows(cases, "latency from message in to values out", headings)
    for case in cases:
        for number, name in enumerate(case.arms):
            _arm_row(table, case, name, keys, number, _paced_cells(case.summary.get(name)), "latency_s")
    return table


def _paced_cells(summary: ArmSummary | None) -> list[str]:
    if summary is None:
        return ["-"] * 6
    late = "-" if summary.missed_share is None else f"{100 * summary.missed_share:.2g} %"
    free = "-" if summary.free_share is None else f"{100 * summary.free_share.median:.0f} %"
    return [*_latencies(summary.latency_s), late, free]


def _latencies(latency: LatencySpread | None) -> list[str]:
    if latency is None:
        return ["-"] * 4
    return [format_duration(value) for value in (latency.p50, latency.p95, latency.p99, latency.max)]


def _arm_rows(cases: Sequence[CaseRecord], title: str, headings: Sequence[str]) -> tuple[Table, list[str]]:
    keys = _case_columns(cases)
    table = _start(title, keys)
    for heading in headings:
        table.add_column(heading)
    return table, keys


def _arm_row(
    table: Table,
    case: CaseRecord,
    name: str,
    keys: Sequence[str],
    number: int,
    cells: Sequence[str],
    metric: str,
) -> None:
    """Add the row of one arm; the case is named in its first row only."""
    where = _case_cells(case, keys) if number == 0 else [Text("")] * max(1, len(keys))
    comparison = _comparison(case, name, metric)
    ratio = "" if comparison is None else ratio_text(comparison)
    last = number == len(case.arms) - 1
    table.add_row(*where, plain(name), *cells, ratio, _verdict(comparison), end_section=last)
