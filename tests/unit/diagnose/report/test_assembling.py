"""A whole report: what follows the schema, and is read back as it was."""

from __future__ import annotations

import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no types of its own

from placement_cli.diagnose.document import diagnosis_document
from placement_cli.diagnose.probes.running import Build
from placement_cli.diagnose.report.assembling import Case, with_report
from placement_cli.diagnose.trace_document import trace_document
from placement_cli.store.diagnosis_document import DiagnosisDocument
from placement_cli.store.schema_files import FOLDER

BUILD = Build("0.32.4", "cpu", "cpu", {}, "CPython 3", "Linux", {"mlx": "0.32.4"})


def report(case: Case, *results: Any) -> DiagnosisDocument:
    """Return the document of a case, checked against its schema."""
    document = diagnosis_document(BUILD, results, "0.1")
    found = with_report(document, case, trace_document(case.ran, case.findings, "0.1"), results)
    plain = json.loads(found.to_json())
    jsonschema.validate(plain, json.loads((FOLDER / "diagnosis-1.schema.json").read_text(encoding="utf-8")))
    assert DiagnosisDocument.model_validate(plain) == found
    return found


def test_a_report_holds_all_that_the_procedure_asks_for(seen: Any) -> None:
    """Chain, ownership, symptom, one next check, evidence, and what all of it is tied to."""
    process = seen.process(points=(seen.point("eval", 12),), memory=seen.memory(1, 4, 2))
    case = Case(seen.ran(process, argv=("my run.py", "-v")), (seen.finding("PL102"),), "memory")
    found = report(case, seen.result("boundary.build"))
    assert (found.symptom, found.next_check, found.report and found.report.decided) == (
        "memory",
        "mx.eval(total)",
        True,
    )
    assert found.report is not None
    assert [link.link for link in found.report.chain] == ["producer", "evaluation", "wait", "backend", "clean-up"]
    assert (found.report.symptom.class_, found.report.symptom.bears_on) == ("side-state", ["memory", "timing"])
    assert found.report.evidence[-1].id == "boundary.build"
    assert found.report.tied_to == (
        "MLX 0.32.4 on cpu (mlx 0.32.4), Linux, CPython 3; 'my run.py' -v, which ended with exit code 0"
    )
    assert len(found.ownership or []) == 8
    assert found.trace is not None
    assert found.trace.program.argv == ["my run.py", "-v"]


def test_a_program_that_left_nothing_has_a_report_too(seen: Any) -> None:
    """Its name may be any bytes, and what the trace warns of is passed on."""
    case = Case(seen.ran(argv=("\udcff.py",), passed_over=("A record was torn.",)), (), None, module=True)
    found = report(case)
    assert (found.ownership, found.symptom, case.probes) == ([], None, ())
    assert found.report is not None
    assert found.report.symptom.class_ == "not-seen"
    assert "-m '\\udcff.py'" in found.report.tied_to
    assert [each.code for each in found.diagnostics] == ["record-passed-over"]
