"""Advice on the terminal: the verdict, the graph, what was compared and found, and what is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, RenderableType
from rich.text import Text

from placement_cli.render.advice_graph import graph_parts
from placement_cli.render.advice_tables import placements_table, verified_table, violations
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.store.advice_document import AdviceDocument, FindingRecord, VerifiedRecord
from placement_cli.units import format_percent

SEVERITIES = {"error": "bold red", "warning": "yellow", "note": "dim"}
"""Severities from the worst, and their styles; the word is always there too."""
FIX = "fix: "
BULLET = "  - "

Parts = Iterator[RenderableType]


def print_advice(document: AdviceDocument, console: Console, *, pareto: bool = False) -> None:
    """Print the whole advice, with the Pareto set where it is asked for."""
    sections = [
        _opening(document),
        graph_parts(document),
        _alternatives(document),
        _pareto(document) if pareto else iter(()),
        _findings(document.findings),
        _verified(document.verified, document),
        _known(document),
    ]
    for number, section in enumerate(filter(None, map(list, sections))):
        if number:
            console.print()
        for part in section:
            console.print(part)


def print_verdict(document: AdviceDocument, console: Console) -> None:
    """Print the verdict and what is wrong, a line each, for `-q`."""
    console.print(plain(document.verdict), soft_wrap=True)
    for finding in by_severity(document.findings):
        if finding.severity != "note":
            console.print(plain(f"{finding.severity}: {_title(finding)}: {finding.says}"), soft_wrap=True)


def by_severity(findings: Sequence[FindingRecord]) -> list[FindingRecord]:
    """Return the findings with the worst first, otherwise in their order."""
    order = list(SEVERITIES)
    return sorted(findings, key=lambda finding: order.index(finding.severity))


def _opening(document: AdviceDocument) -> Parts:
    profile = document.profile
    yield Hanging(plain(document.verdict, "bold"))
    yield Hanging(plain(f"Confidence: {document.confidence}. {_sentence(f'Objective: {document.objective}')}"))
    told = _sentence(f"Profile {profile.name} ({profile.confidence}): {profile.why}")
    yield Hanging(plain(f"{told} {_sentence(profile.provenance)}".strip(), "dim"))


def _sentence(text: str) -> str:
    """Return `text` as a sentence: a capital first, and a full stop unless it ends in a mark of its own."""
    told = text.strip()
    told = told[:1].upper() + told[1:]
    return told if not told or told[-1] in ".!?" else f"{told}."


def _alternatives(document: AdviceDocument) -> Parts:
    if not document.alternatives:
        return
    yield Hanging(plain("Predicted, per message; the base is the current placement, above 1 is slower", "bold"))
    yield placements_table(document.alternatives, document)
    for line in violations(document.alternatives):
        yield Hanging(plain(line), Text(BULLET))


def _pareto(document: AdviceDocument) -> Parts:
    yield Hanging(
        plain("Pareto set: nothing is better than one of these in host time, latency and memory at once", "bold")
    )
    if document.pareto:
        yield placements_table(document.pareto, document)
    else:
        yield Hanging(plain("No such placements were looked for.", "dim"))


def _findings(findings: Sequence[FindingRecord]) -> Parts:
    if findings:
        yield Text("Findings", style="bold")
    room = max((len(finding.severity) for finding in findings), default=0) + 2
    for finding in by_severity(findings):
        mark = Text(finding.severity, style=SEVERITIES[finding.severity])
        yield Hanging(plain(f"{_title(finding)}: {finding.says}"), mark, room)
        if finding.fix:
            yield Hanging(plain(finding.fix), Text(" " * room + FIX))


def _title(finding: FindingRecord) -> str:
    node = f" @{finding.node}" if finding.node is not None else ""
    return f"{finding.code} {finding.name}{node}"


def _verified(verified: VerifiedRecord | None, document: AdviceDocument) -> Parts:
    if verified is None:
        return
    yield Hanging(plain("Predicted against measured, per message", "bold"))
    if verified.measured:
        yield verified_table(verified, document)
    error = "" if verified.error_median is None else f"Median error of the predictions: {_percent(verified)}. "
    yield Hanging(plain(f"{error}Run: {verified.run}", "dim"))


def _percent(verified: VerifiedRecord) -> str:
    return format_percent(verified.error_median or 0.0)


def _known(document: AdviceDocument) -> Parts:
    yield from _listed("Assumed", document.assumed)
    yield from _listed("What would settle it", document.settle)
    if document.search:
        yield Hanging(plain(document.search, "dim"))


def _listed(title: str, sentences: Sequence[str]) -> Parts:
    if sentences:
        yield Text(title, style="bold")
    for sentence in sentences:
        yield Hanging(plain(sentence), Text(BULLET))
