"""A run as Markdown: the tables and sentences, for a pull request or a README."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from placement_cli.bench.figures import FIGURES, verdict_word
from placement_cli.bench.metrics import METRICS
from placement_cli.bench.says import fault_reason
from placement_cli.measure.specs import Reading
from placement_cli.store.run_document import CaseRecord, Comparison, RunDocument
from placement_cli.units import format_ratio

TITLES = {metric.key: metric.title for metrics in METRICS.values() for metric in metrics}
"""What each metric is called."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$])")
_LEADING = re.compile(r"^(\s*\d*)([-+=.)])(?=[\s=-]|$)")
"""What begins a list or a rule where it stands first in a line."""


def run_markdown(document: RunDocument) -> str:
    """Return the run as Markdown: for each scenario a row for every arm of every case, then what it says."""
    lines = [f"# placement bench, {_escaped(document.run.started)}", "", _machine(document), ""]
    for scenario in document.scenarios:
        cases = [case for case in document.cases if case.scenario == scenario.name]
        lines += [f"## {_escaped(scenario.name)}", "", _escaped(scenario.question), ""]
        lines += [*_table(cases), ""] if cases else ["No case was measured.", ""]
        ids = {case.id for case in cases}
        says = [f"- {_escaped(each.text)}" for each in document.says if ids.intersection(each.cases)]
        lines += [*says, ""] if says else []
    lines += [f"- {item.level}: {_escaped(item.text)}" for item in document.diagnostics]
    return "\n".join(lines).rstrip("\n") + "\n"


def _machine(document: RunDocument) -> str:
    stable = document.env.stable
    parts = [stable.get("chip"), stable.get("os"), f"MLX {stable.get('mlx')} on {stable.get('backend')}"]
    return _escaped(", ".join(str(part) for part in parts if part))


def _table(cases: Sequence[CaseRecord]) -> Iterator[str]:
    figures = FIGURES[Reading(cases[0].reading)]
    headings = ["case", "arm", *(figure.heading for figure in figures), "compared", "ratio", "interval", "verdict"]
    yield _line(headings)
    yield _line(["---"] * len(headings))
    for case in cases:
        where = ", ".join(f"{key}={value}" for key, value in case.params.items())
        for name in case.arms:
            shown = [figure.read(case, name) for figure in figures]
            for number, compared in enumerate(_compared(case, name)):
                cells = [where, name, *(shown if number == 0 else [""] * len(shown)), *compared]
                yield _line([_escaped(cell) for cell in cells])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


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


def _escaped(text: str) -> str:
    """Return `text` on one line, with whatever Markdown or HTML would interpret taken literally."""
    flat = "".join(_visible(char) for char in text)
    return _LEADING.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", flat.replace("&", "&amp;")))


def _visible(char: str) -> str:
    """Return a blank for controls and separators, the replacement character for what would hide or turn text."""
    category = unicodedata.category(char)
    if category in ("Cc", "Zl", "Zp"):
        return " "
    return "\N{REPLACEMENT CHARACTER}" if category in ("Cf", "Cs", "Co") else char
