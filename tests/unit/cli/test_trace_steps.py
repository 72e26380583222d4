"""`placement trace`: whose option a word is, what is checked before the program runs, and how it ends."""

from __future__ import annotations

import errno
import json
import stat
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from placement_cli.cli import trace_steps
from placement_cli.cli.trace import CONTEXT, trace
from placement_cli.diagnose.program.running import Launch, Ran
from placement_cli.errors import UsageError
from placement_cli.tracing.raw import RawCost, RawProcess

APP = typer.Typer()
APP.command(context_settings=CONTEXT)(trace)
PROCESS = RawProcess(
    pid=7,
    parent=1,
    argv=("train.py",),
    started_s=1.0,
    duration_s=2.0,
    ended=True,
    python="3.12.1",
    mlx="",
    device="",
    backend="",
    variables={},
    cost=RawCost(0.0, 0.0, 0, 0, 0.0, 0.0),
)


@dataclass
class Program:
    """A program that is not run: what it was asked to do, and how it ends."""

    ran: Ran = field(default_factory=lambda: Ran((), 0, None, 2.0, (PROCESS,)))
    launched: list[tuple[Launch, float | None, int | None]] = field(default_factory=list)
    folder_modes: list[int] = field(default_factory=list)

    def run(self, launch: Launch, limit_s: float | None, stdout: int | None) -> Ran:
        """Note how it was started."""
        self.launched.append((launch, limit_s, stdout))
        self.folder_modes.append(stat.S_IMODE(launch.folder.stat().st_mode))
        return replace(self.ran, argv=launch.argv)

    def ends(self, **how: Any) -> None:
        """Let it end in another way."""
        self.ran = replace(self.ran, **how)


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Program:
    """Takes the place of every program that is started; the working folder is empty."""
    found = Program()
    monkeypatch.setattr(trace_steps, "run_program", found.run)
    monkeypatch.chdir(tmp_path)
    return found


Invoke = Callable[..., Result]


@pytest.fixture
def invoke(program: Program) -> Invoke:
    """Runs `placement trace ARGUMENTS`; what it raises passes through."""

    def call(*arguments: str) -> Result:
        return CliRunner().invoke(APP, list(arguments), catch_exceptions=False, standalone_mode=False)

    return call


@pytest.mark.parametrize(
    ("arguments", "argv", "module"),
    [
        (["train.py"], ("train.py",), False),
        (["train.py", "--json", "-m", "-h", "--", "x"], ("train.py", "--json", "-m", "-h", "--", "x"), False),
        (["-m", "pkg.train", "--json", "-q"], ("pkg.train", "--json", "-q"), True),
        (["--quiet", "--", "-odd.py", "--top"], ("-odd.py", "--top"), False),
    ],
)
def test_what_follows_the_script_is_the_programs(
    program: Program, invoke: Invoke, arguments: list[str], argv: tuple[str, ...], module: bool
) -> None:
    """Whatever it looks like; options of the command stand before it."""
    assert invoke(*arguments).stdout == ""
    ((launch, limit_s, stdout),) = program.launched
    assert (launch.argv, launch.module, launch.python, limit_s, stdout) == (argv, module, None, None, None)


def test_options_before_the_script_are_ours(program: Program, invoke: Invoke) -> None:
    """The interpreter and the limit are handed on, and stdout is kept free for the document."""
    result = invoke("--python", "python3.13", "--timeout", "2 min", "--json", "train.py")
    ((launch, limit_s, stdout),) = program.launched
    assert (launch.python, limit_s, stdout) == ("python3.13", 120.0, 2)
    assert json.loads(result.stdout)["schema"] == "placement.trace"


def test_records_lie_in_a_folder_of_their_own_that_is_gone_afterwards(program: Program, invoke: Invoke) -> None:
    """Nobody else may write into it."""
    invoke("train.py")
    assert program.folder_modes == [0o700]
    assert not program.launched[0][0].folder.exists()


@pytest.mark.parametrize("how", [{"exit_code": 3}, {"exit_code": 139, "signal": 11}, {"exit_code": 0}])
@pytest.mark.parametrize("option", [(), ("--json",), ("-q",)])
def test_the_exit_code_is_the_programs(
    program: Program, invoke: Invoke, how: dict[str, Any], option: tuple[str, ...]
) -> None:
    """Whatever is printed; a program without MLX is told as such on stderr."""
    program.ends(**how)
    result = invoke(*option, "train.py")
    assert result.return_value == how["exit_code"]
    told = result.stderr if option != ("--json",) else json.loads(result.stdout)["verdict"]
    assert "No process of this program imported MLX" in told


def test_files_that_were_asked_for_are_written(invoke: Invoke, tmp_path: Path) -> None:
    """The document and the timeline, in folders that were not there."""
    result = invoke("-o", "out/trace.json", "--timeline", "out/timeline.json", "train.py")
    assert result.return_value == 0
    assert json.loads((tmp_path / "out" / "trace.json").read_bytes())["program"]["argv"] == ["train.py"]
    assert isinstance(json.loads((tmp_path / "out" / "timeline.json").read_bytes()), dict)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("-o", "train.py"), r"--output train\.py: expected a file that ends in \.json"),
        (("--timeline", "t.yaml"), r"--timeline t\.yaml: expected a file that ends in \.json"),
        (("--graph", "g.json"), r"--graph g\.json: expected a file that ends in \.yaml"),
        (("-o", "folder.json"), r"--output folder\.json: is a folder"),
        (("-o", "a.json", "--timeline", "./a.json"), r"--output and --timeline name the same file"),
        (("-o", "/dev/null/a.json"), r"cannot be written"),
        (("--timeout", "soon"), r"--timeout soon: .* is not a duration"),
        (("--timeout", "0 s"), r"--timeout 0 s: expected more than nothing"),
    ],
)
def test_nothing_runs_when_its_result_would_be_lost(
    program: Program, invoke: Invoke, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    """Files are checked first: a program may take hours, and a slip must not put a document in place of a script."""
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(UsageError, match=told):
        invoke(*arguments, "train.py")
    assert program.launched == []


def test_a_graph_that_cannot_be_seen_is_said_to_be_missing(invoke: Invoke, tmp_path: Path) -> None:
    """A program without MLX has none: the code of what lacks counts where the program's own says that all is well."""
    result = invoke("--graph", "graph.yaml", "-o", "trace.json", "train.py")
    assert result.return_value == 4
    assert "placement: " in result.stderr
    assert (tmp_path / "trace.json").exists()
    assert not (tmp_path / "graph.yaml").exists()


def test_files_outlive_a_report_that_nobody_can_read(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk behind stderr or a terminal that is gone must not cost the record of a long run."""

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(trace_steps, "print_trace", full)
    with pytest.raises(OSError, match="No space"):
        invoke("-o", "a.json", "--timeline", "b.json", "train.py")
    assert (tmp_path / "a.json").exists()
    assert (tmp_path / "b.json").exists()


def test_a_file_that_cannot_be_written_after_all_takes_nothing_else_along(
    program: Program, invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report and the other files are there; the exit code tells, unless the program's own has more to say."""
    write = trace_steps.write_whole

    def full(path: Path, text: str) -> None:
        if path.name == "a.json":
            raise UsageError("a.json: cannot be written (No space left on device).")
        write(path, text)

    monkeypatch.setattr(trace_steps, "write_whole", full)
    for exit_code, expected in ((0, 2), (5, 5)):
        program.ends(exit_code=exit_code)
        result = invoke("-o", "a.json", "--timeline", "b.json", "train.py")
        assert result.return_value == expected
        assert "a.json: cannot be written (No space left on device)." in result.stderr
        assert "No process of this program imported MLX" in result.stderr
        assert (tmp_path / "b.json").exists()
