"""A run as Markdown: the tables and sentences, for a pull request or a README."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from placement_cli.bench.figures import FIGURES, verdict_word
from placement_cli.bench.metrics import TITLES
from placement_cli.bench.says import fault_reason
from placement_cli.comparing.dates import moment_text
from placement_cli.export.gate_markdown import gate_markdown
from placement_cli.export.markdown_text import cut_to, escaped, head, row
from placement_cli.measure.specs import Reading
from placement_cli.store.run_document import CaseRecord, Comparison, RunDocument
from placement_cli.units import format_ratio


def run_markdown(document: RunDocument) -> str:
    """Return the run as Markdown: for each scenario a row for every arm of every case, then what it says.

    Of a gate the verdict comes first, and rows that ask for something before those that are the same. What is longer
    than GitHub shows of a summary is cut, and says so.
    """
    lines = _lines(document) if document.gate is None else gate_markdown(document, document.gate)
    return cut_to("\n".join(lines).rstrip("\n") + "\n")


def _lines(document: RunDocument) -> list[str]:
    lines = [f"# placement bench, {escaped(moment_text(document.run.started))}", "", _machine(document), ""]
    for scenario in document.scenarios:
        cases = [case for case in document.cases if case.scenario == scenario.name]
        lines += [f"## {escaped(scenario.name)}", "", escaped(scenario.question), ""]
        lines += [*_table(cases), ""] if cases else ["No case was measured.", ""]
        ids = {case.id for case in cases}
        says = [f"- {escaped(each.text)}" for each in document.says if ids.intersection(each.cases)]
        lines += [*says, ""] if says else []
    lines += [f"- {item.level}: {escaped(item.text)}" for item in document.diagnostics]
    return lines


def _machine(document: RunDocument) -> str:
    stable = document.env.stable
    parts = [stable.get("chip"), stable.get("os"), f"MLX {stable.get('mlx')} on {stable.get('backend')}"]
    return escaped(", ".join(str(part) for part in parts if part))


def _table(cases: Sequence[CaseRecord]) -> Iterator[str]:
    figures = FIGURES[Reading(cases[0].reading)]
    headings = ["case", "arm", *(figure.heading for figure in figures), "compared", "ratio", "interval", "verdict"]
    yield from head(headings)
    for case in cases:
        where = ", ".join(f"{key}={value}" for key, value in case.params.items())
        for name in case.arms:
            shown = [figure.read(case, name) for figure in figures]
            for number, compared in enumerate(_compared(case, name)):
                cells = [where, name, *(shown if number == 0 else [""] * len(shown)), *compared]
                yield row([escaped(cell) for cell in cells])


def _compared(case: CaseRecord, name: str) -> list[list[str]]:
    """Return metric, ratio, interval and verdict of each comparison of an arm, one row for the base."""
    found = [each for each in case.comparisons if each.new == name]
    if not found:
        alone = not case.comparisons and fault_reason(case)
        return [["", "base" if len(case.arms) > 1 else "", "", "invalid" if alone else ""]]
    return [[TITLES.get(each.metric, each.metric), *_ratio(each), verdict_word(each)] for each in found]


def _ratio(comparison: Comparison) -> list[str]:
    ratio = "" if comparison.ratio is None else format_ratio(comparison.ratio)
    interval = "" if comparison.ci is None else ", ".join(format_ratio(bound) for bound in comparison.ci)
    return [ratio, interval]
