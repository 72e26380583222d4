"""A program runs as it does without tracing, and its records are read however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from placement_cli.diagnose.program import running
from placement_cli.diagnose.program.running import Launch, Ran, end_of, run_program, traced_environment
from placement_cli.errors import UsageError

RECORDS = """\
import json, os, pathlib, sys
record = {"pid": os.getpid(), "parent": os.getppid(), "argv": sys.argv, "started_s": 1.0, "duration_s": 2.0,
          "ended": False, "python": "3", "mlx": "", "device": "", "backend": "", "variables": {},
          "cost": {"call_s": 0, "op_s": 0, "calls": 0, "ops": 0, "looks_s": 0, "samples_s": 0}}
pathlib.Path(os.environ["PLACEMENT_TRACE"], f"{os.getpid()}-1.json").write_text(json.dumps(record))
"""
"""Stands in for the recorder: a program that begins with it leaves a record."""
Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a program that writes its own record, in a folder of its own."""
    monkeypatch.setattr(running, "START", tmp_path / "start")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "records"
    folder.mkdir()

    def start(source: str, *arguments: str, module: bool = False, **options: Any) -> Ran:
        (tmp_path / "program.py").write_text(RECORDS + source, encoding="utf-8")
        name = "program" if module else "program.py"
        return run_program(Launch((name, *arguments), module, None, folder), **options)

    return start


@pytest.mark.parametrize(
    ("source", "exit_code", "ended_by"),
    [
        ("", 0, None),
        ("sys.exit(3)", 3, None),
        ("sys.stderr.close(); raise ValueError", 1, None),
        ("os._exit(255)", 255, None),
        ("os.kill(os.getpid(), 9)", 137, 9),
        ("os.abort()", 134, 6),
    ],
)
def test_the_exit_code_is_the_programs(run: Run, source: str, exit_code: int, ended_by: int | None) -> None:
    """A signal that ended it counts as in a shell; the record is there each time."""
    ran = run(source)
    assert (ran.exit_code, ran.signal, ran.timed_out) == (exit_code, ended_by, False)
    assert [process.argv for process in ran.processes] == [("program.py",)]


def test_a_module_gets_its_arguments_as_they_are(run: Run) -> None:
    """None of them is an option of the one who traces."""
    ran = run("sys.exit(len(sys.argv))", "--json", "", "a b", module=True)
    assert ran.exit_code == 4
    assert ran.argv == ("program", "--json", "", "a b")
    assert ran.processes[0].argv[1:] == ("--json", "", "a b")


def test_output_is_the_programs_or_goes_elsewhere(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    """As when stdout is to hold a document alone."""
    run("print('one')")
    run("print('two')", stdout=2)
    assert capfd.readouterr() == ("one\n", "two\n")


def test_a_signal_to_the_one_who_traces_reaches_the_program(run: Run) -> None:
    """The program answers it, and the record is read."""
    ran = run(
        "import signal, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n"
        "os.kill(os.getppid(), signal.SIGTERM)\n"
        "while True: time.sleep(0.01)\n"
    )
    assert (ran.exit_code, ran.signal, len(ran.processes)) == (7, None, 1)


def test_signals_are_those_that_a_program_starts_with(run: Run) -> None:
    """Handling them here leaves no trace there: Ctrl-C and SIGTERM do what they do for a program started without."""
    told = (
        "import signal, sys; sys.exit(10 + 2 * (signal.getsignal(2) == signal.SIG_IGN) + (signal.getsignal(15) == 0))"
    )
    assert run(told).exit_code == subprocess.run([sys.executable, "-c", told]).returncode


def test_a_program_is_ended_at_its_time_limit(run: Run) -> None:
    """By Ctrl-C at first, so that it can end in order."""
    ran = run("import time\nsys.stderr.close()\nwhile True: time.sleep(0.01)", limit_s=0.5)
    assert (ran.exit_code, ran.timed_out) == (124, True)


class Stubborn:
    """A process that only a kill ends."""

    pid = 2**30

    def __init__(self) -> None:
        self.sent: list[int] = []
        self.waited: list[float | None] = []

    def wait(self, timeout: float | None = None) -> int:
        """Wait in vain until it is killed."""
        self.waited.append(timeout)
        if signal.SIGKILL not in self.sent:
            raise subprocess.TimeoutExpired("program", timeout or 0.0)
        return -9

    def send_signal(self, sig: int) -> None:
        """Note a signal."""
        self.sent.append(sig)


def test_a_program_that_ignores_its_time_limit_is_killed() -> None:
    """After a while in which it could have ended in order."""
    process = Stubborn()
    assert end_of(process, 3.0, 5.0) == (-9, True)
    assert process.sent == [signal.SIGINT, signal.SIGKILL]
    assert process.waited == [3.0, 5.0, None]


def test_nothing_starts_where_there_is_no_program(tmp_path: Path) -> None:
    """Neither without a name, nor with a wrong one."""
    for argv in ((), (str(tmp_path / "none.py"),)):
        with pytest.raises(UsageError):
            run_program(Launch(argv, False, None, tmp_path))


@pytest.mark.parametrize("given", [None, "", "one", os.pathsep.join(["one", "", "two"])])
def test_the_path_of_the_program_is_kept_behind_ours(tmp_path: Path, given: str | None) -> None:
    """No empty part is added to it: that would be the working folder."""
    before = {} if given is None else {"PYTHONPATH": given}
    launch = Launch(("x.py",), False, None, tmp_path)
    environment = traced_environment(launch, {"HOME": "/h", **before})
    start = str(running.START)
    assert environment["PYTHONPATH"] == (f"{start}{os.pathsep}{given}" if given else start)
    assert (environment["HOME"], environment["PLACEMENT_TRACE"]) == ("/h", str(tmp_path))


def test_another_interpreter_is_told_where_this_package_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So is this one, unless it is installed where that looks anyway."""
    own, other = (Launch(("x.py",), False, python, tmp_path) for python in (None, sys.executable))
    root = str(running.ROOT)
    assert traced_environment(other, {})["PLACEMENT_TRACE_ROOT"] == root
    monkeypatch.setattr(running, "_installed", lambda: {running.ROOT})
    assert "PLACEMENT_TRACE_ROOT" not in traced_environment(own, {})
    assert traced_environment(other, {})["PLACEMENT_TRACE_ROOT"] == root
