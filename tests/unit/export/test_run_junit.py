"""A run as JUnit XML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from placement_cli.export.run_junit import run_junit
from placement_cli.store.run_document import RunDocument

MakeGate = Callable[..., RunDocument]
SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).parents[2] / "data" / "junit" / "junit.xsd"))


def read(document: RunDocument) -> etree._Element:
    """The XML of a run, which is valid."""
    root = etree.fromstring(run_junit(document).encode())
    SCHEMA.assertValid(root)
    return root


def kinds(root: etree._Element) -> dict[str, str]:
    """By the id of its case, what became of each test case but that of the gate."""
    cases = [case for suite in root for case in suite.iterfind("testcase") if suite.get("name") != "placement check"]
    found = {case.get("name", "").partition(":")[0]: [child.tag for child in case] for case in cases}
    return {name: (tags[0] if tags[0] != "system-out" else "passed") for name, tags in found.items()}


def test_every_comparison_is_a_test_case(document: RunDocument) -> None:
    """A suite a scenario; verdicts are counted as what they are."""
    root = read(document)
    verdicts = [each.verdict for case in document.cases for each in case.comparisons]
    alone = [case for case in document.cases if not case.comparisons]
    crashed = sum(not any(block.valid for block in case.blocks) for case in alone)
    assert [suite.get("name") for suite in root] == [scenario.name for scenario in document.scenarios]
    assert int(root.get("tests", "")) == len(verdicts) + len(alone)
    assert int(root.get("failures", "")) == verdicts.count("slower")
    assert int(root.get("errors", "")) == verdicts.count("invalid") + crashed
    assert sum(int(suite.get("skipped", "")) for suite in root) == verdicts.count("inconclusive")


def test_numbers_stand_in_the_properties(make_gate: MakeGate) -> None:
    """Ratio, interval, limit and blocks, under the name of their test case."""
    root = read(
        make_gate("regression", {"verdict": "slower", "ratio": 1.25, "repeated": True}, failed=["chain[size=1]"])
    )
    name = root.find("testsuite[2]/testcase").get("name")
    numbers = {item.get("name"): item.get("value") for item in root.iterfind("testsuite[2]/properties/property")}
    assert name == "chain[size=1]: new against base, time per message"
    assert numbers[f"{name}: ratio"] == "1.25"
    assert numbers[f"{name}: interval"] == "1.2375, 1.2625"
    assert numbers[f"{name}: limit"] == "0.03"
    assert numbers[f"{name}: n_blocks"] == "6"
    assert numbers[f"{name}: confirmation"] == "seen again."


def test_of_a_gate_only_what_failed_it_is_a_failure(make_gate: MakeGate) -> None:
    """What was not seen again passed; what could not fail the gate is no test."""
    slower = {"verdict": "slower", "ratio": 1.2}
    document = make_gate(
        "regression",
        slower | {"name": "confirmed", "repeated": True},
        slower | {"name": "once", "repeated": False},
        slower | {"name": "free", "gated": False},
        {"name": "unclear", "verdict": "inconclusive"},
        {"name": "broken", "verdict": "invalid"},
        {"name": "same"},
        failed=["confirmed"],
    )
    expected = {"confirmed": "failure", "once": "passed", "unclear": "skipped", "broken": "error"}
    assert kinds(read(document)) == expected | {"same": "passed"}


@pytest.mark.parametrize(
    ("verdict", "element"),
    [("passed", None), ("regression", "failure"), ("inconclusive", "skipped"), ("nothing-comparable", "error")],
)
def test_a_gate_is_a_test_case_of_its_own(make_gate: MakeGate, verdict: str, element: str | None) -> None:
    """One that compared nothing is no success."""
    suite = read(make_gate(verdict)).find("testsuite")
    case = suite.find("testcase")
    assert [child.tag for child in case] == [*([element] if element else []), "system-out"]
    assert case.findtext("system-out") == f"It is {verdict}."


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(name=st.text(min_size=1, max_size=20))
def test_any_name_is_text(name: str, make_gate: MakeGate) -> None:
    """Controls and markup never reach the reader of the XML."""
    root = read(make_gate("passed", {"name": name, "scenario": name, "reason": name, "verdict": "inconclusive"}))
    assert [child.tag for child in root.find("testsuite[2]/testcase")] == ["skipped", "system-out"]


def test_hostile_names_are_text(renamed: Callable[[str], RunDocument], hostile: str) -> None:
    """Of scenarios, cases and arms."""
    assert len(read(renamed(hostile)).findall("testsuite/testcase")) == 2
