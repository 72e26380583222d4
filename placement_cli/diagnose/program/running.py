"""Running a person's program, unchanged, with tracing in each of its Python processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sysconfig
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import psutil

from placement_cli.diagnose.program.interpreter import check_module, check_script, find_interpreter
from placement_cli.diagnose.program.passing_on import passing_on
from placement_cli.diagnose.program.records import read_records
from placement_cli.errors import TimeLimitReached, UsageError
from placement_cli.measure.spawn import ROOT
from placement_cli.tracing.raw import RawProcess

RECORDS_VARIABLE = "PLACEMENT_TRACE"
"""Names the folder that traced processes write to."""
ROOT_VARIABLE = "PLACEMENT_TRACE_ROOT"
"""Names the folder that holds this package, for an interpreter that does not find it by itself."""
START = ROOT / "placement_cli" / "tracing" / "start"
"""The folder whose `sitecustomize` starts tracing in each Python process that has it first in its path."""
GRACE_S = 5.0
"""A program that does not end so long after it was asked to, at its time limit, is killed."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A program to run: `argv` is the script, or the module when `module` is true, and its arguments.

    `python` names the interpreter, None is the one that runs this program. Records go to `folder`, which exists.
    """

    argv: tuple[str, ...]
    module: bool
    python: str | None
    folder: Path


@dataclass(frozen=True, slots=True)
class Ran:
    """A program that ran, and what its processes recorded, its own first.

    `exit_code` is what a shell shows: the program's own, 128 and the signal's number where `signal` ended it, 124 where
    the time limit did. `wall_s` is from its start to its end. `passed_over` are sentences on records that cannot be
    read.
    """

    argv: tuple[str, ...]
    exit_code: int
    signal: int | None
    wall_s: float
    processes: tuple[RawProcess, ...]
    timed_out: bool = False
    passed_over: tuple[str, ...] = ()


class Process(Protocol):
    """What is needed of a process that runs; `subprocess.Popen` has it."""

    pid: int

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return its exit status, below zero for a signal; raises TimeoutExpired."""

    def send_signal(self, sig: int) -> None:
        """Send it a signal, unless it has ended."""


def command_of(launch: Launch) -> list[str]:
    """Return the words that start the program, once it is sure that there is one.

    Raises UsageError for an interpreter, a script or a module that is not there.
    """
    if not launch.argv:
        raise UsageError("Which program? Give a script, or a module after -m.")
    interpreter = find_interpreter(launch.python)
    if launch.module:
        check_module(interpreter, launch.argv[0])
        return [interpreter, "-m", *launch.argv]
    script, *arguments = launch.argv
    check_script(script)
    # A name that looks like one would be taken for an option of Python.
    return [interpreter, f".{os.sep}{script}" if script.startswith("-") else script, *arguments]


def traced_environment(launch: Launch, given: Mapping[str, str]) -> dict[str, str]:
    """Return the environment `given` with what starts tracing in the program added to it."""
    path = os.pathsep.join([str(START), *filter(None, [given.get("PYTHONPATH", "")])])
    known = launch.python is None and ROOT in _installed()
    added = {RECORDS_VARIABLE: str(launch.folder.absolute()), "PYTHONPATH": path}
    return dict(given) | added | ({} if known else {ROOT_VARIABLE: str(ROOT)})


def _installed() -> set[Path]:
    """Return where this interpreter looks for what is installed."""
    return {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}


def run_program(
    launch: Launch,
    limit_s: float | None = None,
    stdout: int | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Ran:
    """Run the program to its end, however it ends, and read what was recorded.

    It has this process's input, output, errors, working folder and process group; its output goes to the file
    descriptor `stdout` where one is given. After `limit_s` seconds it is interrupted, and killed if that does not end
    it. Raises UsageError when there is no such program.
    """
    command = command_of(launch)
    environment = traced_environment(launch, os.environ)
    with passing_on() as signals:
        began_s = clock()
        process = _started(command, environment, stdout)
        signals.to(process.send_signal)
        status, timed_out = end_of(process, limit_s)
        wall_s = clock() - began_s
    records = read_records(launch.folder, process.pid)
    ended_by = -status if status < 0 else None
    exit_code = 128 + ended_by if ended_by is not None else status
    return Ran(
        argv=launch.argv,
        exit_code=TimeLimitReached.exit_code if timed_out else exit_code,
        signal=ended_by,
        wall_s=wall_s,
        processes=records.processes,
        timed_out=timed_out,
        passed_over=records.passed_over,
    )


def _started(command: list[str], environment: dict[str, str], stdout: int | None) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(command, env=environment, stdout=stdout)  # noqa: S603 - the person's own program
    except OSError as error:
        raise UsageError(f"{command[0]}: cannot be started ({error.strerror}).") from None


def end_of(process: Process, limit_s: float | None, grace_s: float = GRACE_S) -> tuple[int, bool]:
    """Wait for the end of `process`; return its exit status and whether the limit of `limit_s` seconds ended it."""
    try:
        return process.wait(limit_s), False
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    try:
        return process.wait(grace_s), True
    except subprocess.TimeoutExpired:
        _kill_all(process)
        return process.wait(), True


def _kill_all(process: Process) -> None:
    """Kill a process and those it started, which nobody would end after it."""
    started: list[psutil.Process] = []
    with suppress(psutil.Error):
        started = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    for each in started:
        with suppress(psutil.Error):
            each.kill()
