"""The document of a diagnosis: everything that was found, and what it follows."""

from __future__ import annotations

import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no types of its own
import pytest

from placement_cli.diagnose.document import diagnosis_document
from placement_cli.diagnose.probes.probe import Observed, Outcome, Probe, Result
from placement_cli.diagnose.probes.running import Build
from placement_cli.store.schema_files import FOLDER

BUILD = Build("1.0", "cpu", "cpu", {"MLX_BFS_MAX_WIDTH": "5"}, "CPython 3", "Linux", {"mlx": "1.0"})


def result(name: str, outcome: Outcome = "passed", **changes: Any) -> Result:
    """One result."""
    probe = Probe(name, "It does.", lambda _: Observed(True, ""), ("timing",), reference="elsewhere: 2 s")
    facts = {"observed": "It did.", "numbers": {"took_s": 3.0, "calls": 2, "error": None}, "differs": None}
    return Result(probe, outcome, **(facts | {"reason": None, "took_s": 0.5} | changes))  # type: ignore[arg-type]  # Fields by name.


def written(*results: Result, **changes: Any) -> dict[str, Any]:
    """The document as a reader gets it, checked against its schema."""
    data: dict[str, Any] = json.loads(diagnosis_document(BUILD, results, "0.1", **changes).to_json())
    jsonschema.validate(data, json.loads((FOLDER / "diagnosis-1.schema.json").read_text(encoding="utf-8")))
    return data


def test_a_probe_keeps_everything_that_was_found() -> None:
    """Claim, outcome, sentence, numbers with their kinds, and what it compares with."""
    data = written(result("timing.x", "failed", differs="Before 2 s."), result("threads.y", "not-run", reason="why"))
    assert data["probes"][0] == {
        "id": "timing.x",
        "group": "timing",
        "claim": "It does.",
        "outcome": "failed",
        "observed": "It did.",
        "numbers": {"took_s": 3.0, "calls": 2, "error": None},
        "reference": "elsewhere: 2 s",
        "differs": "Before 2 s.",
        "reason": None,
        "took_s": 0.5,
    }
    assert (data["probes"][1]["outcome"], data["probes"][1]["reason"]) == ("not-run", "why")


def test_without_a_program_its_parts_are_null() -> None:
    """They are there, so that a reader need not ask for them."""
    data = written(result("timing.x"))
    assert [data[key] for key in ("symptom", "trace", "ownership", "next_check", "report")] == [None] * 5
    assert data["build"]["variables"] == {"MLX_BFS_MAX_WIDTH": "5"}
    assert (data["exit"], data["diagnostics"]) == ({"code": 0, "name": "ok"}, [])


@pytest.mark.parametrize(("left_out", "words"), [(1, "1 probe was"), (3, "3 probes were")])
def test_a_diagnosis_that_was_stopped_says_so(left_out: int, words: str) -> None:
    """With how much is missing, and the exit code."""
    data = written(result("timing.x"), exit_code=130, left_out=left_out)
    assert data["exit"] == {"code": 130, "name": "interrupted"}
    assert data["diagnostics"][0]["text"] == f"It was stopped: {words} still to come."


def test_what_differs_from_before_is_named() -> None:
    """All of it in one line, though the claims hold."""
    data = written(result("timing.x", differs="Before 2 s."), result("timing.y"), result("timing.z", differs="No."))
    assert [(each["level"], each["code"]) for each in data["diagnostics"]] == [("info", "differs-from-reference")]
    assert data["diagnostics"][0]["text"].endswith("timing.x, timing.z.")
