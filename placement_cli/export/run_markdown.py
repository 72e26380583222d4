"""A run as Markdown: the tables and sentences, for a pull request or a README."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from placement_cli.store.run_document import CaseRecord, Comparison, RunDocument
from placement_cli.units import format_duration, format_ratio, format_size


def run_markdown(document: RunDocument) -> str:
    """Return the run as Markdown: for each scenario a row for every arm of every case, then what it says."""
    lines = [f"# placement bench, {_escaped(document.run.started)}", "", _machine(document), ""]
    for scenario in document.scenarios:
        cases = [case for case in document.cases if case.scenario == scenario.name]
        lines += [f"## {_escaped(scenario.name)}", "", _escaped(scenario.question), ""]
        lines += [*_table(cases), ""]
        ids = {case.id for case in cases}
        lines += [f"- {_escaped(each.text)}" for each in document.says if ids.intersection(each.cases)]
        lines.append("")
    return "\n".join(lines)


def _machine(document: RunDocument) -> str:
    stable = document.env.stable
    parts = [stable.get("chip"), stable.get("os"), f"MLX {stable.get('mlx')} on {stable.get('backend')}"]
    return _escaped(", ".join(str(part) for part in parts if part))


def _table(cases: Sequence[CaseRecord]) -> Iterator[str]:
    yield "| case | arm | time per message | in flight | metric | ratio | interval | verdict |"
    yield "|---|---|---|---|---|---|---|---|"
    for case in cases:
        where = ", ".join(f"{key}={value}" for key, value in case.params.items())
        for name in case.arms:
            compared: list[Comparison | None] = [each for each in case.comparisons if each.new == name]
            for comparison in compared or [None]:
                yield _row(case, where, name, comparison)


def _row(case: CaseRecord, where: str, name: str, comparison: Comparison | None) -> str:
    summary = case.summary.get(name)
    time = "" if summary is None else format_duration(summary.complete_s.median)
    held = "" if summary is None else format_size(summary.in_flight_bytes.median)
    cells = [where, name, time, held, *_compared(comparison)]
    return f"| {' | '.join(_escaped(cell) for cell in cells)} |"


def _compared(comparison: Comparison | None) -> list[str]:
    if comparison is None:
        return ["", "base", "", ""]
    ratio = "" if comparison.ratio is None else format_ratio(comparison.ratio)
    interval = "" if comparison.ci is None else ", ".join(format_ratio(bound) for bound in comparison.ci)
    return [comparison.metric, ratio, interval, comparison.verdict]


def _escaped(text: str) -> str:
    """Return `text` with whatever Markdown or HTML would interpret taken literally, on one line."""
    flat = re.sub(r"[\x00-\x1f\x7f-\x9f]+", " ", text)
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", flat)
