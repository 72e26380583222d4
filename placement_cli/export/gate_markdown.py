"""A gate as Markdown: the verdict, what was compared, and the cases that ask for something before all others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from placement_cli.bench.figures import NOTHING
from placement_cli.bench.metrics import TITLES
from placement_cli.comparing.dates import moment_text
from placement_cli.export.markdown_text import escaped, head, row
from placement_cli.export.outcomes import Compared, outcomes, pressing_first
from placement_cli.export.process_values import ArmValues, arm_values
from placement_cli.gate.words import gate_word
from placement_cli.store.run_document import GateRecord, RunDocument, SideRecord
from placement_cli.units import format_duration, format_percent, format_ratio, format_size

HEADINGS = ("case", "compared", "base", "new", "ratio", "interval", "limit", "blocks", "verdict", "gate")
SHOWN = {"s": format_duration, "bytes": format_size, "share": format_percent}
"""Unit of a metric to what writes its values."""
NOT_CLAIMED = ("inconclusive", "invalid")
"""Verdicts whose ratio claims nothing."""
Medians = Mapping[tuple[str, str, str], str]
"""Case, arm and metric to the median as it is shown."""


def gate_markdown(document: RunDocument, gate: GateRecord) -> Iterator[str]:
    """Yield the lines of a gate: verdict, sides, table, sentences."""
    yield f"# placement check: {escaped(gate.verdict)}"
    yield from ("", escaped(gate.reason), "")
    yield from (_side("base", gate.base), _side("new", gate.new))
    yield from (f"- differs: {escaped(fact)}" for fact in gate.differs)
    counted = f"cases: {gate.cases}; comparisons that can fail: {gate.compared}; cases that failed: {len(gate.failed)}"
    yield from (f"- {counted}", f"- started: {escaped(moment_text(document.run.started))}", "")
    found = pressing_first(outcomes(document))
    medians = _medians(document)
    if found:
        yield from head(HEADINGS)
        yield from (row([escaped(cell) for cell in _cells(each, medians)]) for each in found)
        yield ""
    yield from _said(document)


def _side(name: str, side: SideRecord) -> str:
    resolved = f" ({escaped(side.resolved)})" if side.resolved not in ("", side.given) else ""
    return f"- {name}: {escaped(side.given)}{resolved}"


def _said(document: RunDocument) -> Iterator[str]:
    says = [f"- {escaped(each.text)}" for each in document.says]
    yield from [*says, ""] if says else []
    yield from (f"- {item.level}: {escaped(item.text)}" for item in document.diagnostics)


def _cells(each: Compared, medians: Medians) -> list[str]:
    compared = each.comparison
    if compared is None:
        return [each.case.id, *[""] * (len(HEADINGS) - 3), "invalid" if each.reason else "", ""]
    claims = compared.verdict not in NOT_CLAIMED
    ratio = NOTHING if compared.ratio is None else f"{'' if claims else '~'}{format_ratio(compared.ratio)}"
    interval = NOTHING if compared.ci is None else ", ".join(format_ratio(bound) for bound in compared.ci)
    sides = [medians.get((each.case.id, arm, compared.metric), NOTHING) for arm in (compared.base, compared.new)]
    limit = f"+{format_percent(compared.limit)}"
    title = TITLES.get(compared.metric, compared.metric)
    blocks = str(compared.n_blocks)
    return [each.case.id, title, *sides, ratio, interval, limit, blocks, gate_word(compared), each.note]


def _medians(document: RunDocument) -> Medians:
    return {(values.case.id, values.arm, values.metric.key): _shown(values) for values in arm_values(document)}


def _shown(values: ArmValues) -> str:
    return SHOWN[values.metric.unit](values.middle.median)
