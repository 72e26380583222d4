"""A diagnosis of a program on the terminal: the symptom, the chain, who holds memory, one next check, the evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from placement_cli.render.advice_report import FIX
from placement_cli.render.grid import column_widths, row_lines, rule, total_width
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.render.probe_table import OUTCOME_STYLES, OUTCOME_WORDS
from placement_cli.render.sayings import diagnostics
from placement_cli.render.source_lines import Sources
from placement_cli.render.trace_report import NEXT
from placement_cli.render.trace_tables import plural
from placement_cli.store.diagnosis_document import (
    Bound,
    DiagnosisDocument,
    EvidenceRecord,
    Holder,
    Link,
    Moment,
    OwnershipRecord,
    ReportRecord,
)
from placement_cli.units import format_duration, format_size

LINKS: Mapping[Link, str] = {
    "producer": "producer",
    "evaluation": "evaluation",
    "wait": "dependency wait",
    "backend": "backend",
    "clean-up": "clean-up",
}
HOLDERS: Mapping[Holder, str] = {
    "live-references": "live references",
    "in-flight-or-graphs": "in flight or held by graphs",
    "cache": "cached",
    "process-beyond-mlx": "process beyond MLX",
}
BOUNDS: Mapping[Bound, str] = {"exact": "", "about": "about ", "at-least": "at least ", "at-most": "at most "}
MOMENTS: Mapping[Moment, str] = {"highest": "at the highest", "end": "at the end"}
UNKNOWN = "not known"
LINK_ROOM = max(map(len, LINKS.values())) + 4
OUTCOME_ROOM = max(map(len, OUTCOME_WORDS.values())) + 4
INDENT = "  "

Parts = Iterator[RenderableType]


def print_diagnosis(document: DiagnosisDocument, console: Console, sources: Sources) -> None:
    """Print the report of a program; a document without one prints nothing."""
    if document.report is None:
        return
    sections = [
        _symptom(document, document.report, sources),
        _chain(document.report),
        _ownership(document.ownership or []),
        _next(document.next_check or ""),
        _evidence(document.report.evidence, document.report.tied_to),
        diagnostics([each for each in document.diagnostics if each.level != "info"]),
    ]
    for number, section in enumerate(filter(None, map(list, sections))):
        if number:
            console.print()
        for part in section:
            console.print(part)


def print_diagnosis_verdict(document: DiagnosisDocument, console: Console, sources: Sources) -> None:
    """Print the symptom with what was seen, the next check, and what is to be known before relying on it, for `-q`."""
    if document.report is not None:
        symptom = document.report.symptom
        console.print(plain(f"{_title(document, document.report, sources)}: {symptom.says}"), soft_wrap=True)
        for number, line in enumerate((document.next_check or "").splitlines()):
            console.print(plain(f"{' ' * len(NEXT) if number else NEXT}{line}"), soft_wrap=True)
        for warning in (each for each in document.diagnostics if each.level != "info"):
            console.print(plain(f"{warning.level}: {warning.text}"), soft_wrap=True)


def _title(document: DiagnosisDocument, report: ReportRecord, sources: Sources) -> str:
    symptom = report.symptom
    asked = "Symptom" if document.symptom is None else f"Symptom {document.symptom}"
    code = "" if symptom.code is None else f" ({symptom.code})"
    where = "" if symptom.file is None else f" at {sources.place(symptom.file, symptom.line)}"
    unsure = "" if report.decided or symptom.class_ == "not-seen" else "not decided; nearest: "
    return f"{asked}: {unsure}{symptom.name}{code}{where}"


def _symptom(document: DiagnosisDocument, report: ReportRecord, sources: Sources) -> Parts:
    yield Hanging(plain(_title(document, report, sources), "bold" if report.decided else "bold yellow"))
    yield Hanging(plain(report.symptom.says), Text(INDENT))
    if report.symptom.fix and report.symptom.fix not in (document.next_check or ""):
        yield Hanging(plain(report.symptom.fix), Text(INDENT + FIX))


def _chain(report: ReportRecord) -> Parts:
    """Yield a line a link; links of which the same was not seen share one."""
    yield Text("Chain", style="bold")
    counts = Counter(link.says for link in report.chain)
    for says in (each for each, count in counts.items() if count > 1):
        names = ", ".join(LINKS[link.link] for link in report.chain if link.says == says)
        yield Hanging(plain(f"{names}: {says}", "dim"), Text(INDENT))
    for link in (each for each in report.chain if counts[each.says] == 1):
        mark = Text(f"{INDENT}{LINKS[link.link]}")
        yield Hanging(plain(link.says, "" if link.seen else "dim"), mark, LINK_ROOM)


def _ownership(rows: Sequence[OwnershipRecord]) -> Parts:
    if rows:
        yield _Ownership(rows)
        yield Hanging(plain(_rests_on(rows), "dim"), Text(INDENT))


class _Ownership:
    """Who holds what at each moment, as a table where it fits, else a line each."""

    def __init__(self, rows: Sequence[OwnershipRecord]) -> None:
        self._moments = list(dict.fromkeys(row.moment for row in rows))
        self._rows = {(row.holder, row.moment): row for row in rows}
        self._times = {row.moment: row.at_s for row in rows if row.at_s is not None}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines."""
        heads = [self._head(moment) for moment in self._moments]
        cells = [
            [Text(INDENT + HOLDERS[holder]), *(Text(self._cell(holder, moment)) for moment in self._moments)]
            for holder in HOLDERS
        ]
        table = [[Text("Ownership", style="bold"), *map(Text, heads)], *cells]
        widths = column_widths(table)
        if total_width(widths) <= options.max_width:
            yield from row_lines(table[0], widths)
            yield rule(total_width(widths))
            for row in cells:
                yield from row_lines(row, widths)
            return
        yield Text("Ownership", style="bold")
        for row in cells:
            told = "; ".join(f"{cell.plain} {head}" for cell, head in zip(row[1:], heads, strict=True))
            yield Hanging(Text(f"{row[0].plain.strip()}: {told}"), Text(INDENT))

    def _head(self, moment: Moment) -> str:
        at_s = self._times.get(moment)
        return MOMENTS[moment] if at_s is None else f"{MOMENTS[moment]} ({format_duration(at_s)})"

    def _cell(self, holder: Holder, moment: Moment) -> str:
        row = self._rows.get((holder, moment))
        if row is None or row.bytes is None:
            return UNKNOWN
        arrays = "" if row.arrays is None else f" in {plural(row.arrays, 'array')}"
        return f"{BOUNDS[row.bound]}{format_size(row.bytes)}{arrays}"


def _rests_on(rows: Sequence[OwnershipRecord]) -> str:
    """Say what live references rest on at each moment, and why a number is not known; all else is measured."""
    told = [
        f"{_first_upper(HOLDERS[row.holder])} {MOMENTS[row.moment]}: {row.rests_on}."
        for row in rows
        if row.holder == "live-references" and row.bytes is not None
    ]
    told += [
        f"{_first_upper(HOLDERS[row.holder])} {MOMENTS[row.moment]} not known: {row.reason}."
        for row in rows
        if row.reason is not None
    ]
    return " ".join(told)


def _first_upper(words: str) -> str:
    return words[:1].upper() + words[1:]


def _next(check: str) -> Parts:
    if check:
        yield Text("Next check", style="bold")
    for line in check.splitlines():
        # A check may be code, whose indentation means something; a remark in it may take several lines.
        lead, said = line[: len(line) - len(line.lstrip("# "))], line.lstrip("# ")
        yield Hanging(plain(said), Text(INDENT + lead))


def _evidence(evidence: Sequence[EvidenceRecord], tied_to: str) -> Parts:
    """Yield what the trace says claim by claim, and the probes by their ids: what each observed is in the document."""
    if evidence:
        yield Hanging(plain(f"Evidence, for {tied_to}", "bold"))
    for outcome, word in OUTCOME_WORDS.items():
        mine = [each for each in evidence if each.outcome == outcome]
        told = [f"{each.claim.rstrip('.')} ({each.says})" for each in mine if each.source == "trace"]
        probes = [
            each.id if outcome == "passed" else f"{each.id} ({each.says})" for each in mine if each.source != "trace"
        ]
        told += [f"{'probe' if len(probes) == 1 else 'probes'} {', '.join(probes)}"] if probes else []
        for number, text in enumerate(told):
            mark = Text(INDENT) + Text("" if number else word, style=OUTCOME_STYLES[outcome])
            yield Hanging(plain(text), mark, OUTCOME_ROOM)
