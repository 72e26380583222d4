"""What a run found, before anything else: the verdict of a gate, or sentences, and what is not `same`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from placement_cli.bench.figures import verdict_word
from placement_cli.bench.metrics import TITLES
from placement_cli.gate.words import gate_word
from placement_cli.report.escaping import NOTHING, Html, element, joined
from placement_cli.report.naming import arm_label, case_label
from placement_cli.report.picture import Table
from placement_cli.report.tables import folded, table_html
from placement_cli.store.run_document import CaseRecord, Comparison, Confirmation, GateRecord, RunDocument, SideRecord
from placement_cli.units import format_percent, format_ratio

SIGNS = {
    "slower": "\u25b6",
    "faster": "\u25c0",
    "same": "\u25cf",
    "inconclusive": "\u25c6",
    "invalid": "\u271a",
}
"""The form of each verdict, as in the charts."""
TALLIED = {"slower": "slower or more", "faster": "faster or less"}
ORDER = tuple(SIGNS)
MOST_OPEN = 12
"""A longer table of verdicts is closed at first."""
GATE_WORDS = {
    "passed": ("Passed", "faster"),
    "regression": ("Regression", "slower"),
    "inconclusive": ("Inconclusive", "inconclusive"),
    "nothing-comparable": ("Nothing comparable", "invalid"),
    "invalid": ("Invalid", "invalid"),
    "scenario-failed": ("A scenario failed", "invalid"),
}
"""What each verdict of a gate is called, and its colour."""
HEADINGS = ("verdict", "scenario", "case", "arm", "metric", "ratio", "interval", "limit", "blocks")

Judged = tuple[CaseRecord, Comparison]


def verdicts(document: RunDocument) -> Html:
    """Return the verdicts of a run: of its gate where it is one, of every comparison otherwise."""
    troubles = [each for each in document.diagnostics if each.level != "info"]
    unfinished = [] if document.run.complete else ["The run was not finished: some cases have fewer blocks, or none."]
    notes = [element("li", f"{each.level}: {each.text}") for each in troubles]
    remarks = element("ul", *(element("li", text) for text in unfinished), *notes, class_="troubles")
    found = _bench(document) if document.gate is None else _gate(document, document.gate)
    return joined([found, remarks if troubles or unfinished else NOTHING])


def _bench(document: RunDocument) -> Html:
    judged = [(case, each) for case in document.cases for each in case.comparisons]
    return joined([_tally([each for _, each in judged]), *_sayings(document), _differing(document, judged)])


def _tally(compared: Sequence[Comparison]) -> Html:
    if not compared:
        return NOTHING
    counts = Counter[str](each.verdict for each in compared)
    tiles = (_tile(kind, counts[kind]) for kind in ORDER)
    return element("ul", *tiles, class_="tally", aria_label="Verdicts counted")


def _tile(kind: str, count: int) -> Html:
    sign = element("span", SIGNS[kind], aria_hidden="true", class_=f"sign {kind}")
    return element("li", sign, " ", element("b", str(count)), " ", TALLIED.get(kind, kind))


def _differing(document: RunDocument, judged: Sequence[Judged]) -> Html:
    """Return the verdicts that are not `same`, the gravest kind first."""
    found = [(case, each) for case, each in judged if each.verdict != "same"]
    if not found:
        return NOTHING
    ranks = ("invalid", "slower", "faster", "inconclusive")
    found.sort(key=lambda pair: ranks.index(pair[1].verdict))
    table = Table(HEADINGS, tuple(_row(document, case, each) for case, each in found), words=5)
    summary = f"The {len(found)} verdicts that are not same" if len(found) > 1 else "The one verdict that is not same"
    return folded(table, summary, open_=len(found) <= MOST_OPEN)


def _row(document: RunDocument, case: CaseRecord, each: Comparison) -> tuple[str, ...]:
    among = [other for other in document.cases if other.scenario == case.scenario]
    names = (case.scenario, case_label(case, among), arm_label(case, each.new), TITLES.get(each.metric, each.metric))
    ratio = "" if each.ratio is None else format_ratio(each.ratio)
    word = gate_word(each) if document.gate else verdict_word(each)
    return (word, *names, ratio, _interval(each.ci), format_percent(each.limit), str(each.n_blocks))


def _interval(ci: tuple[float, float] | None) -> str:
    return "" if ci is None else f"{format_ratio(ci[0])} to {format_ratio(ci[1])}"


def _gate(document: RunDocument, gate: GateRecord) -> Html:
    word, kind = GATE_WORDS[gate.verdict]
    verdict = element("p", element("strong", word, class_=f"gate {kind}"), " ", gate.reason, class_="verdict")
    counted = element("p", f"{gate.compared} comparisons of {gate.cases} cases could fail the gate.", class_="quiet")
    return joined([verdict, counted, _sides(gate), _flagged(document, gate), *_sayings(document)])


def _sides(gate: GateRecord) -> Html:
    rows = tuple((name, *_side(side)) for name, side in (("base", gate.base), ("new", gate.new)))
    sides = table_html(Table(("side", "asked for", "kind", "measured", "fingerprint"), rows, words=5), "The sides")
    if not gate.differs:
        return joined([sides, element("p", "No recorded fact differs between the sides.", class_="quiet")])
    return joined([sides, element("p", "What differs between the sides:"), _listed(gate.differs)])


def _side(side: SideRecord) -> tuple[str, ...]:
    return (side.given, side.kind, side.resolved, side.fingerprint)


def _listed(texts: Sequence[str]) -> Html:
    return element("ul", *(element("li", text) for text in texts))


def _flagged(document: RunDocument, gate: GateRecord) -> Html:
    """Return what was flagged, the cases that failed the gate first; whatever could not fail it is left out."""
    judged = [(case, each) for case in document.cases for each in case.comparisons if each.gated]
    found = [(case, each) for case, each in judged if each.confirmation or each.verdict not in ("same", "faster")]
    found.sort(key=lambda pair: (pair[0].id not in gate.failed, ORDER.index(pair[1].verdict)))
    if not found:
        return element("p", "No gated comparison was flagged.", class_="quiet")
    rows = tuple((*_row(document, case, each), _again(each.confirmation)) for case, each in found)
    return table_html(Table((*HEADINGS, "measured again"), rows, words=5), "What is not the same, or not known to be")


def _again(again: Confirmation | None) -> str:
    if again is None:
        return ""
    ratio = "no ratio" if again.ratio is None else f"{format_ratio(again.ratio)} ({_interval(again.ci)})"
    return f"{'repeated' if again.repeated else 'not repeated'}: {ratio}"


def _sayings(document: RunDocument) -> Iterator[Html]:
    """Yield the sentences of a run, those of each scenario under its name."""
    if document.says:
        yield element("h3", "What this says")
    scenarios = {case.id: case.scenario for case in document.cases}
    found: dict[str, list[str]] = {}
    for saying in document.says:
        name = next((scenarios[case] for case in saying.cases if case in scenarios), "")
        found.setdefault(name, []).append(saying.text)
    for name, texts in found.items():
        yield joined([element("h4", name), _listed(texts)]) if name and len(found) > 1 else _listed(texts)
