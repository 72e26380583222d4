"""What `placement diagnose` makes of its options before and after probes run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from placement_cli.cli import diagnose_steps
from placement_cli.cli.diagnose_steps import DiagnoseOptions, Executed, run_diagnose, with_symptom
from placement_cli.diagnose.probes.catalog import PROBES
from placement_cli.diagnose.probes.probe import Outcome, Result
from placement_cli.diagnose.probes.running import Build
from placement_cli.errors import InvalidMeasurement, UsageError

NONE = DiagnoseOptions(
    program=(),
    is_module=False,
    symptom=None,
    probes=(),
    list_only=False,
    device=None,
    output=None,
    as_json=True,
    quiet=False,
)
BUILD = Build("1.0", "cpu", "cpu", {}, "CPython 3", "Linux", {})


@pytest.mark.parametrize(
    ("words", "program", "symptom"),
    [
        (("a.py", "--symptom", "memory"), ("a.py",), "memory"),
        (("a.py", "--symptom=memory"), ("a.py",), "memory"),
        (("a.py", "-v", "--symptom", "crash", "x"), ("a.py", "-v", "x"), "crash"),
        (("a.py", "--symptoms", "memory"), ("a.py", "--symptoms", "memory"), None),
        (("--symptom",), ("--symptom",), None),
        ((), (), None),
    ],
)
def test_the_symptom_may_stand_behind_the_script(
    words: tuple[str, ...], program: tuple[str, ...], symptom: str | None
) -> None:
    """It alone: every other option there is the program's."""
    found = with_symptom(replace(NONE, program=words))
    assert (found.program, found.symptom) == (program, symptom)


def test_behind_a_named_symptom_everything_is_the_programs() -> None:
    """So a program may have an option of that name."""
    options = replace(NONE, program=("a.py", "--symptom", "cough"), symptom="memory")
    assert with_symptom(options) == options


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"symptom": "memroy"}, "Did you mean 'memory'?"),
        ({"program": ("a.py", "--symptom")}, "its value is missing; one of timing, memory, ordering, crash"),
        ({"device": "gpus"}, "Did you mean 'gpu'?"),
        ({"probes": ("timing.build-cots",)}, "Did you mean 'timing.build-cost'?"),
        ({"is_module": True}, "the name of a module is missing"),
        ({"output": Path("probes.txt")}, "--output probes.txt: expected a file that ends in .json"),
        ({"output": Path("/dev/null/d.json")}, "cannot be written"),
    ],
)
def test_a_mistake_is_told_before_anything_runs(changes: dict[str, Any], words: str) -> None:
    """With the nearest name."""
    with pytest.raises(UsageError) as caught:
        run_diagnose(replace(NONE, **changes))
    assert words in str(caught.value)


def executed(monkeypatch: pytest.MonkeyPatch, *outcomes: Outcome, left_out: int = 0) -> None:
    """Let the probes end like this."""
    results = tuple(
        Result(probe, outcome, "", {}, None, None, 0.1) for probe, outcome in zip(PROBES, outcomes, strict=False)
    )
    monkeypatch.setattr(diagnose_steps, "execute", lambda *_, **__: Executed(BUILD, results, left_out))


@pytest.mark.parametrize(
    ("outcomes", "left_out", "code"),
    [(("passed", "not-run"), 0, 0), (("failed",), 0, 0), (("passed",), 2, 130), ((), 2, 130)],
)
def test_failed_claims_are_findings_and_no_errors(
    outcomes: tuple[Outcome, ...],
    left_out: int,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """The code is 0 when anything ran, 130 when it was stopped; the document has it and is the file's, too."""
    executed(monkeypatch, *outcomes, left_out=left_out)
    assert run_diagnose(replace(NONE, output=tmp_path / "d.json")) == code
    printed = capsys.readouterr().out
    assert json.loads(printed)["exit"]["code"] == code
    assert (tmp_path / "d.json").read_text() == printed


def test_the_file_is_there_when_nobody_reads_what_is_printed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As with `placement diagnose -o d.json | head`."""

    def gone(*_: object) -> None:
        raise BrokenPipeError

    executed(monkeypatch, "passed")
    monkeypatch.setattr(diagnose_steps, "print_probes", gone)
    with pytest.raises(BrokenPipeError):
        run_diagnose(replace(NONE, as_json=False, output=tmp_path / "d.json"))
    assert json.loads((tmp_path / "d.json").read_bytes())["probes"]


def test_nothing_that_ran_is_no_diagnosis(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The reasons are printed all the same."""
    executed(monkeypatch, "not-run", "not-run")
    with pytest.raises(InvalidMeasurement, match="not a single probe"):
        run_diagnose(NONE)
    document = json.loads(capsys.readouterr().out)
    assert [probe["outcome"] for probe in document["probes"]] == ["not-run", "not-run"]
    assert document["exit"] == {"code": 5, "name": "invalid-measurement"}
