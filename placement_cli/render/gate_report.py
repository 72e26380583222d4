"""What a gate found, on the terminal: the verdict, the two sides, and a row for each comparison that could fail it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, RenderableType
from rich.text import Text

from placement_cli.bench.metrics import TITLES
from placement_cli.gate.suite import ARM
from placement_cli.gate.words import gate_word
from placement_cli.render.cells import VERDICT_STYLES, quantity
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import harmless, plain
from placement_cli.render.run_report import machine_line
from placement_cli.render.sayings import sayings
from placement_cli.render.sheet import Group, Row, Sheet
from placement_cli.store.run_document import CaseRecord, Comparison, GateRecord, RunDocument
from placement_cli.units import format_duration, format_percent

GATE_STYLES = {
    "passed": "bold green",
    "regression": "bold red",
    "inconclusive": "bold yellow",
    "nothing-comparable": "bold yellow",
    "invalid": "bold red",
    "scenario-failed": "bold red",
}
SHOWN = frozenset({"complete_s", "dispatch_s", "in_flight_bytes"})
"""Metrics whose own values are shown beside their change."""
ORDER = ("slower", "invalid", "inconclusive", "faster", "same")
"""What a reader wants to see first."""


@dataclass(frozen=True, slots=True)
class _Entry:
    case: CaseRecord
    comparison: Comparison


def print_gate(document: RunDocument, gate: GateRecord, console: Console) -> None:
    """Print the whole of a gate: its verdict first."""
    for part in verdict_lines(gate):
        console.print(part)
    console.print(Hanging(machine_line(document.env.stable)))
    console.print()
    for part in gate_tables(document):
        console.print(part)
    for part in sayings(document.says):
        console.print(part)


def verdict_lines(gate: GateRecord) -> Iterator[RenderableType]:
    """Yield the verdict with its reason, and what the two sides are and differ in."""
    yield Hanging(plain(gate.reason), Text(f"{gate.verdict.upper()}  ", style=GATE_STYLES[gate.verdict]))
    yield Hanging(plain(f"{gate.base.given} ({gate.base.resolved})"), Text("base  ", style="dim"))
    yield Hanging(plain(f"{gate.new.given} ({gate.new.resolved})"), Text("new   ", style="dim"))
    for fact in gate.differs or ["the sides differ in nothing that is known of them"]:
        yield Hanging(plain(fact), Text("      ", style="dim"))


def gate_tables(document: RunDocument) -> Iterator[RenderableType]:
    """Yield a table for each scenario: the comparisons that could fail the gate, the worst first."""
    for scenario in document.scenarios:
        cases = [case for case in document.cases if case.scenario == scenario.name]
        entries = [_Entry(case, each) for case in cases for each in case.comparisons if each.gated]
        if entries:
            yield plain(scenario.name, "bold")
            yield _table(sorted(entries, key=lambda entry: ORDER.index(entry.comparison.verdict)))
            yield Text()
    yield _footnote(document)


def _table(entries: Sequence[_Entry]) -> Sheet:
    keys = _varying([entry.case for entry in entries])
    headings = (*map(harmless, keys), "metric", "base", "new", "change", "interval", "limit", "verdict", "blocks")
    return Sheet((), headings, (Group((), tuple(_row(entry, keys) for entry in entries)),))


def _varying(cases: Sequence[CaseRecord]) -> list[str]:
    """Return the parameters that tell the cases apart: the arm always, and first, as it is what rows are called by."""
    keys = dict.fromkeys(key for case in cases for key in case.params if key != ARM)
    return [ARM, *(key for key in keys if len({case.params.get(key) for case in cases}) > 1)]


def _row(entry: _Entry, keys: Sequence[str]) -> Row:
    case, comparison = entry.case, entry.comparison
    where = [plain(str(case.params.get(key, ""))) for key in keys]
    sides = [Text(_value(case, side, comparison.metric)) for side in (comparison.base, comparison.new)]
    word = gate_word(comparison)
    style = "dim" if word.startswith("not ") else VERDICT_STYLES[comparison.verdict]
    verdict = Text(word, style=style)
    figures = [_change(comparison), _interval(comparison), f"+{format_percent(comparison.same_within)}"]
    cells = (*where, plain(TITLES.get(comparison.metric, comparison.metric)), *sides, *map(Text, figures), verdict)
    return Row((*cells, Text(_blocks(comparison))))


def _blocks(comparison: Comparison) -> str:
    again = comparison.confirmation
    return f"{comparison.n_blocks}" if again is None else f"{comparison.n_blocks} + {again.n_blocks}"


def _value(case: CaseRecord, side: str, metric: str) -> str:
    summary = case.summary.get(side)
    if summary is None:
        return "-"
    if metric in SHOWN:
        return quantity(summary, metric)
    if metric == "latency_s" and summary.latency_s is not None:
        return format_duration(summary.latency_s.p50)
    return ""


def _change(comparison: Comparison) -> str:
    """Return the change in percent, always with its sign: positive is slower or more."""
    return "-" if comparison.ratio is None else _signed(comparison.ratio - 1)


def _interval(comparison: Comparison) -> str:
    if comparison.ci is None:
        return "-"
    low, high = comparison.ci
    return f"[{_signed(low - 1)}, {_signed(high - 1)}]"


def _signed(share: float) -> str:
    # Adding zero leaves no minus before what is rounded to nothing.
    return f"{round(100 * share, 1) + 0.0:+.1f} %"


def _footnote(document: RunDocument) -> Hanging:
    floors = [each.noise_floor for each in document.scenarios if each.noise_floor is not None]
    noise = f"noise floor {format_percent(max(floors))} at most; " if floors else ""
    text = f"{noise}a positive change is slower or more; + blocks are fresh ones, in reverse order."
    return Hanging(Text(text, style="dim"))
