"""What `placement diagnose SCRIPT` makes of its options, of how the program ends, and of a Ctrl-C."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from placement_cli.cli import diagnose_program_steps as steps
from placement_cli.cli.diagnose_steps import DiagnoseOptions, DiagnoseProgram, Executed
from placement_cli.diagnose.probes.probe import Probe, Result
from placement_cli.diagnose.probes.running import Build
from placement_cli.diagnose.program.running import Ran
from placement_cli.errors import UsageError
from placement_cli.tracing.raw import RawCost, RawProcess

OPTIONS = DiagnoseOptions(
    program=("run.py",),
    is_module=False,
    symptom=None,
    probes=(),
    list_only=False,
    device=None,
    output=None,
    as_json=True,
    quiet=False,
)
PROGRAM = DiagnoseProgram("run.py", ("-v",), False, "timing", OPTIONS)
PROCESS = RawProcess(
    pid=7,
    parent=1,
    argv=("run.py",),
    started_s=1.0,
    duration_s=2.0,
    ended=True,
    python="3.12.1",
    mlx="0.32.4",
    device="Device(cpu, 0)",
    backend="cpu",
    variables={},
    cost=RawCost(0.0, 0.0, 0, 0, 0.0, 0.0),
)
BUILD = Build("0.32.4", "cpu", "cpu", {}, "CPython 3", "Linux", {})


@dataclass
class Stage:
    """A program and probes that are not run: what they were asked, and how they end."""

    ran: Ran = field(default_factory=lambda: Ran((), 0, None, 2.0, (PROCESS,)))
    left_out: int = 0
    traced: list[tuple[Any, ...]] = field(default_factory=list)
    executed: list[tuple[list[str], str | None, bool]] = field(default_factory=list)

    def trace(self, argv: Any, module: bool, python: Any, limit_s: Any, *, as_json: bool) -> Ran:
        """Note how the program was started."""
        self.traced.append((argv, module, as_json))
        return replace(self.ran, argv=argv)

    def execute(self, probes: Sequence[Probe], device: str | None, *, shown: bool) -> Executed:
        """Let the probes pass, but for those left out."""
        self.executed.append(([probe.id for probe in probes], device, shown))
        done = probes[: len(probes) - self.left_out]
        return Executed(
            BUILD, tuple(Result(each, "passed", "It did.", {}, None, None, 0.1) for each in done), self.left_out
        )


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Stage:
    """Takes the place of every program and every probe; the working folder is empty."""
    found = Stage()
    monkeypatch.setattr(steps, "traced", found.trace)
    monkeypatch.setattr(steps, "execute", found.execute)
    monkeypatch.chdir(tmp_path)
    return found


def run(**changes: Any) -> int:
    """Diagnose the program with other options."""
    return steps.run_diagnose_program(replace(PROGRAM, options=replace(OPTIONS, **changes)))


def test_the_program_is_traced_and_few_probes_are_run_on_its_device(
    stage: Stage, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The document alone is on stdout, and the same in the file."""
    assert run(output=tmp_path / "out" / "d.json") == 0
    assert stage.traced == [(("run.py", "-v"), False, True)]
    ((probes, device, shown),) = stage.executed
    assert (device, shown) == ("cpu", False)
    assert "boundary.eval" in probes
    assert len(probes) < 10
    printed = capsys.readouterr().out
    document = json.loads(printed)
    assert (document["symptom"], document["report"]["symptom"]["class"]) == ("timing", "not-seen")
    assert [each["id"] for each in document["probes"]] == probes
    assert (tmp_path / "out" / "d.json").read_text() == printed


@pytest.mark.parametrize("how", [{"exit_code": 3}, {"exit_code": 139, "signal": 11}])
@pytest.mark.parametrize("option", [{}, {"as_json": False}, {"as_json": False, "quiet": True}])
def test_however_the_program_ended_it_was_diagnosed(
    stage: Stage, capsys: pytest.CaptureFixture[str], how: dict[str, Any], option: dict[str, Any]
) -> None:
    """The exit code is ours; the program's is in what is told."""
    stage.ran = replace(stage.ran, **how)
    assert run(**option) == 0
    told = capsys.readouterr().out
    assert f"What was seen bears on crash: the program ended with exit code {how['exit_code']}." in told


def test_probes_that_are_asked_for_are_run_and_no_others(stage: Stage) -> None:
    """Whether or not they bear on the symptom, on the device that was named."""
    assert run(probes=("zero-size.withheld", "threads"), device="gpu") == 0
    first, (probes, device, _) = stage.executed
    assert first == ([], "gpu", False)
    assert (probes[0], device, len(probes) > 5) == ("zero-size.withheld", "gpu", True)


def test_ctrl_c_in_the_program_leaves_its_report_without_probes(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was seen until then is told; the exit code says that it was stopped."""
    stage.ran = replace(stage.ran, exit_code=130, signal=2)
    assert run() == 130
    assert [probes for probes, _, _ in stage.executed] == [[]]
    document = json.loads(capsys.readouterr().out)
    assert (document["exit"]["code"], document["probes"], document["trace"]["program"]["signal"]) == (130, [], 2)
    assert document["report"]["chain"]


def test_ctrl_c_among_the_probes_keeps_what_is_done(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    """As without a program."""
    stage.left_out = 1
    assert run() == 130
    document = json.loads(capsys.readouterr().out)
    assert (document["exit"]["code"], document["diagnostics"][0]["code"]) == (130, "stopped")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"probes": ("timing.build-cots",)}, "Did you mean 'timing.build-cost'"),
        ({"output": Path("run.py")}, r"--output run\.py: expected a file that ends in \.json"),
        ({"output": Path("folder.json")}, r"--output folder\.json: is a folder"),
        ({"output": Path("/dev/null/d.json")}, "cannot be written"),
    ],
)
def test_nothing_runs_when_its_result_would_be_lost(
    stage: Stage, tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    """A program may take hours, and a slip must not put a document in place of a script."""
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(UsageError, match=words):
        run(**changes)
    assert (stage.traced, stage.executed) == ([], [])


def test_the_file_is_there_when_nobody_reads_what_is_printed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The program ran for it, perhaps for hours."""

    def gone(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(steps, "print_diagnosis", gone)
    with pytest.raises(BrokenPipeError):
        run(as_json=False, output=tmp_path / "d.json")
    assert json.loads((tmp_path / "d.json").read_bytes())["report"]
    assert len(stage.traced) == 1


def test_the_list_of_probes_starts_no_program(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that bear on the symptom."""
    assert run(list_only=True) == 0
    listed = capsys.readouterr().out
    assert "timing.submission-only" in listed
    assert "threads.lazy-returned" not in listed
    assert (stage.traced, stage.executed) == ([], [])
