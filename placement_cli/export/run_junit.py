"""A run as JUnit XML: a suite a scenario, a test case a comparison, of a gate those that could fail it.

Only what the schemas of Jenkins and Surefire both accept is written: there a test case holds no properties, so those
with its numbers stand in its suite, and the same numbers as lines in its output. Seconds have three decimals there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from xml.etree import ElementTree as ET

from placement_cli.bench.metrics import TITLES
from placement_cli.export.machine_facts import machine_facts
from placement_cli.export.outcomes import Compared, Outcome, outcomes
from placement_cli.export.plain_names import plain_line
from placement_cli.store.run_document import Comparison, GateRecord, RunDocument

ELEMENTS = {Outcome.FAILED: "failure", Outcome.INVALID: "error", Outcome.INCONCLUSIVE: "skipped"}
"""What stands in the test case of each outcome; one that passed holds none of these."""
LONGEST_TEXT = 2_000
GATE = "placement check"
"""The suite of the gate itself: its one test case fails for what no comparison says, such as a time limit, too."""
GATE_ELEMENTS = {"passed": None, "regression": "failure", "inconclusive": "skipped"}


def run_junit(document: RunDocument) -> str:
    """Return the run as XML: what is slower failed (in a gate only what failed it), what is invalid is an error.

    What is inconclusive was skipped. `time` is how long was measured, in seconds.
    """
    found = [each for each in outcomes(document) if document.gate is None or _of_gate(each)]
    suites = [
        _suite(scenario.name, document, [each for each in found if each.case.scenario == scenario.name])
        for scenario in document.scenarios
    ]
    if document.gate is not None:
        suites.insert(0, _gate_suite(document, document.gate))
    whole = ET.Element("testsuites", name="placement", time=_seconds(document.run.duration_s))
    for counted in ("tests", "failures", "errors"):
        whole.set(counted, str(sum(int(suite.get(counted, "0")) for suite in suites)))
    whole.extend(suites)
    ET.indent(whole, " ")
    return ET.tostring(whole, encoding="unicode", xml_declaration=True) + "\n"


def _of_gate(each: Compared) -> bool:
    """Tell whether a gate could fail for a comparison, or for a case in which there is none."""
    return each.gated or (each.comparison is None and each.outcome is Outcome.INVALID)


def _suite(name: str, document: RunDocument, found: Sequence[Compared]) -> ET.Element:
    suite = ET.Element("testsuite", name=plain_line(name))
    facts = [*_run_facts(document), *(fact for each in found for fact in _numbered(each))]
    suite.append(_properties(facts))
    for each in found:
        suite.append(_test_case(each))
    return _counted(suite)


def _gate_suite(document: RunDocument, gate: GateRecord) -> ET.Element:
    suite = ET.Element("testsuite", name=GATE)
    sides = [("base", f"{gate.base.given}: {gate.base.resolved}"), ("new", f"{gate.new.given}: {gate.new.resolved}")]
    suite.append(_properties([*_run_facts(document), *sides, ("verdict", gate.verdict)]))
    case = ET.SubElement(suite, "testcase", classname=GATE, name="gate", time=_seconds(0.0))
    element = GATE_ELEMENTS.get(gate.verdict, "error")
    if element is not None:
        _append(case, element, gate.verdict, gate.reason)
    ET.SubElement(case, "system-out").text = _text(gate.reason)
    return _counted(suite)


def _counted(suite: ET.Element) -> ET.Element:
    """Return `suite` with the numbers of its test cases and of those that failed."""
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    for attribute, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(case.find(element) is not None for case in cases)))
    suite.set("time", _seconds(sum(float(case.get("time", "0")) for case in cases)))
    return suite


def _test_case(each: Compared) -> ET.Element:
    case = ET.Element("testcase", classname=plain_line(each.case.scenario), name=_name(each), time=_measured(each))
    if element := ELEMENTS.get(each.outcome):
        kind = each.comparison.verdict if each.comparison else "invalid"
        _append(case, element, kind, each.reason)
    lines = [each.reason, *(f"{key}: {value}" for key, value in _numbers(each))]
    ET.SubElement(case, "system-out").text = "\n".join(_text(line) for line in lines if line)
    return case


def _append(case: ET.Element, element: str, kind: str, reason: str) -> None:
    said = ET.SubElement(case, element, message=_text(reason))
    if element != "skipped":
        said.set("type", kind)
    said.text = _text(reason)


def _name(each: Compared) -> str:
    compared = each.comparison
    what = (
        f" {compared.new} against {compared.base}, {TITLES.get(compared.metric, compared.metric)}" if compared else ""
    )
    return f"{plain_line(each.case.id)}{plain_line(what) and ': ' + plain_line(what)}"


def _numbers(each: Compared) -> Iterator[tuple[str, str]]:
    compared = each.comparison
    if compared is None:
        return
    yield "verdict", compared.verdict
    if compared.ratio is not None:
        yield "ratio", f"{compared.ratio:.6g}"
    if compared.ci is not None:
        yield "interval", ", ".join(f"{bound:.6g}" for bound in compared.ci)
    yield "limit", f"{compared.limit:.6g}"
    yield "n_blocks", str(compared.n_blocks)
    yield from _gate_numbers(each.note, compared)


def _gate_numbers(note: str, compared: Comparison) -> Iterator[tuple[str, str]]:
    if note:
        yield "gate", note
    if compared.confirmation is not None:
        yield "confirmation", compared.confirmation.reason


def _numbered(each: Compared) -> Iterator[tuple[str, str]]:
    """Yield the numbers of a comparison under names that tell them apart in their suite."""
    for key, value in _numbers(each):
        yield f"{_name(each)}: {key}", value


def _run_facts(document: RunDocument) -> Iterator[tuple[str, str]]:
    facts = machine_facts(document)
    yield "run", document.run.id
    yield "started", document.run.started
    yield "complete", str(document.run.complete).lower()
    yield "machine", facts.line
    yield "fingerprint", facts.fingerprint


def _properties(facts: Iterable[tuple[str, str]]) -> ET.Element:
    properties = ET.Element("properties")
    for name, value in facts:
        ET.SubElement(properties, "property", name=_text(name), value=_text(value))
    return properties


def _measured(each: Compared) -> str:
    """Return the seconds in which samples of the arms were taken."""
    arms = {each.comparison.base, each.comparison.new} if each.comparison else set(each.case.arms)
    samples = (sample for block in each.case.blocks for sample in block.samples)
    return _seconds(sum(sample.complete_s for sample in samples if sample.arm in arms))


def _seconds(seconds: float) -> str:
    return f"{max(0.0, seconds):.3f}"


def _text(text: str) -> str:
    """Return `text` on one line of characters that XML can hold."""
    return plain_line(text, LONGEST_TEXT)
