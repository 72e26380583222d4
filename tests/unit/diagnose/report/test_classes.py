"""Classes of symptoms: every finding has one, and every probe that is named for one exists."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from placement_cli.diagnose import findings
from placement_cli.diagnose.probes.catalog import find_probe, select_probes
from placement_cli.diagnose.probes.probe import GROUPS
from placement_cli.diagnose.report.classes import BASE, KINDS, bears_on, class_of
from placement_cli.store.diagnosis_document import Symptom, SymptomClass

RULES = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted(Path(findings.__file__ or "").parent.glob("*.py"))
)


def test_every_class_has_a_name_and_probes_that_exist() -> None:
    """A slip in an id would leave its evidence out of every report."""
    assert set(KINDS) == set(get_args(SymptomClass))
    assert set(BASE) == set(get_args(Symptom))
    named = [probe for kind in KINDS.values() for probe in (*kind.rests_on, *kind.probes)]
    for probe in [*named, *(each for several in BASE.values() for each in several)]:
        find_probe(probe)


def test_every_code_that_a_rule_tells_has_a_class(seen: Any) -> None:
    """Also the ones that a rule chooses between."""
    codes = set(re.findall(r'"(PL\d{3})"', RULES))
    assert len(codes) > 10
    assert [code for code in sorted(codes) if class_of(seen.finding(code)) == "other"] == []


def test_every_probe_that_a_next_check_names_exists() -> None:
    """An id or a group, in the source of the rules: nobody is sent to a probe that is not there."""
    names = re.findall(r"diagnose --probe ([a-z0-9.-]+)", RULES)
    assert len(names) > 5
    for name in names:
        assert name in GROUPS or select_probes([name])


@pytest.mark.parametrize(
    ("code", "evidence", "expected"),
    [
        ("PL203", {"blocked_s": 0.1}, "hidden-synchronization"),
        ("PL203", {"calls": 1}, "evaluation-in-transformation"),
        ("PL901", {"kept_bytes": 1}, "retained-references"),
        ("PL901", {"sizes": 40, "cache_bytes": 1}, "allocator-cache"),
        ("PL901", {"calls": 9, "blocked_s": 0.1}, "cache-cleared"),
        ("PL901", {"traces": 9, "calls": 9}, "retracing"),
        ("PL901", {"times": 1}, "out-of-memory"),
        ("PL902", {"signal": "SIGKILL"}, "killed-by-signal"),
        ("PL902", {"times": 1, "at_s": 0.5}, "late-error"),
        ("PL902", {"active_bytes": 1}, "unexplained-growth"),
        ("PL999", {}, "other"),
    ],
)
def test_findings_of_one_code_are_told_apart(seen: Any, code: str, evidence: dict[str, Any], expected: str) -> None:
    """By the numbers that only one of them carries."""
    assert class_of(seen.finding(code, evidence=evidence)) == expected


def test_only_what_broke_the_program_is_behind_a_crash(seen: Any) -> None:
    """Growth alone is none, growth that exhausted memory is."""
    assert not bears_on(seen.finding("PL101"), "crash")
    assert bears_on(seen.finding("PL101", "error"), "crash")
    assert bears_on(seen.finding("PL101"), "memory")
    assert bears_on(seen.finding("PL101"), None)
