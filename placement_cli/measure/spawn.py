"""Worker processes: started fresh, spoken to in lock-step, ended for certain."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import placement_cli
from placement_cli.device.threads import pinned_environment
from placement_cli.errors import PlacementError

ANSWER_S = 300.0
"""A worker that does not answer for this long is lost."""
END_S = 5.0
"""A worker that does not end by itself after this long is killed."""
TAIL_BYTES = 2000
"""How much of a lost worker's stderr is told."""


class WorkerLostError(Exception):
    """A worker died, hung, or answered something that is no reply; the text says which."""


class CommandFailedError(Exception):
    """A worker carried on, but the command failed. `code` is the exit code it asks for, if it does."""

    def __init__(self, message: str, code: int | None) -> None:
        super().__init__(message)
        self.code = code


def error_of(failed: CommandFailedError) -> PlacementError:
    """Return the error of the documented class that a worker reported."""
    kinds = {kind.exit_code: kind for kind in PlacementError.__subclasses__()}
    return kinds.get(failed.code or 70, PlacementError)(str(failed))


class Worker(Protocol):
    """One process that measures one arm."""

    def ask(self, do: str, *, limit_s: float | None = None, **arguments: Any) -> dict[str, Any]:
        """Send a command and wait for its reply, for at most `limit_s` seconds where they are given.

        Raises WorkerLostError when none comes, CommandFailedError when the command could not be carried out.
        """

    def close(self) -> None:
        """End the process."""


Spawn = Callable[[], Worker]
"""Starts one fresh worker process and returns at once."""


WORKER = "placement_cli.measure.worker"
ROOT = Path(placement_cli.__file__).resolve().parents[1]
"""The folder that this package lies in."""
PADDING, PADDED = "PLACEMENT_PADDING", 2048
"""Installations differ in the length of their path, and a process whose environment is longer has its stack elsewhere,
which alone changes times (Mytkowicz et al., ASPLOS 2009): a variable makes up for the difference."""


def spawn_process(device: str | None = None) -> Worker:
    """Start a worker on `device` with one BLAS thread; it imports MLX while the caller goes on."""
    return spawn_module(WORKER, [device] if device else [])


def spawn_module(
    module: str, arguments: Sequence[str] = (), threads: int = 1, variables: Mapping[str, str] | None = None
) -> Worker:
    """Start `module` of this package as a worker process with `threads` BLAS threads; see `serving`.

    `variables` are added to its environment.
    """
    environment = pinned_environment(os.environ, threads) | elsewhere(_own_path()) | dict(variables or {})
    return _Process([sys.executable, "-P", "-m", module, *arguments], environment)


def _own_path() -> tuple[str, ...]:
    """Return where this very package is found: nothing where the interpreter knows by itself."""
    installed = {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}
    return () if ROOT in installed else (str(ROOT),)


def spawn_elsewhere(interpreter: str, path: Sequence[str], device: str | None = None) -> Worker:
    """Start a worker of another installation: that of `interpreter`, with the folders of `path` before all else.

    The working directory is no part of its path, so that no checkout one happens to stand in takes its place.
    """
    environment = pinned_environment(os.environ) | elsewhere(path, inherit=interpreter == sys.executable)
    return _Process([interpreter, "-P", "-m", WORKER, *([device] if device else [])], environment)


def elsewhere(path: Sequence[str], *, inherit: bool = True) -> dict[str, str]:
    """Return the variables of a process whose modules come from the folders of `path` before all else."""
    joined = os.pathsep.join([*path, *filter(None, [os.environ.get("PYTHONPATH", "") if inherit else ""])])
    return {"PYTHONPATH": joined, PADDING: "x" * max(0, PADDED - len(os.fsencode(joined)))}


class _Process:
    def __init__(self, command: list[str], environment: Mapping[str, str], answer_s: float = ANSWER_S) -> None:
        self._answer_s = answer_s
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter and this package
                command,
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                start_new_session=True,
            )
        except OSError as error:
            self._log.close()
            raise WorkerLostError(f"a worker process could not be started ({error.strerror})") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._commands, self._replies = self._process.stdin, self._process.stdout
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._replies, selectors.EVENT_READ)

    def ask(self, do: str, *, limit_s: float | None = None, **arguments: Any) -> dict[str, Any]:
        try:
            self._commands.write(json.dumps({"do": do, **arguments}).encode() + b"\n")
            self._commands.flush()
        except (BrokenPipeError, ValueError):
            raise WorkerLostError(self._told("ended before it was asked")) from None
        reply = self._read(do, self._answer_s if limit_s is None else limit_s)
        if not reply["ok"]:
            raise CommandFailedError(reply["error"], reply["code"])
        return reply

    def _read(self, do: str, limit_s: float) -> dict[str, Any]:
        if not self._selector.select(limit_s):
            self._process.kill()
            raise WorkerLostError(self._told(f"did not answer {do!r} within {limit_s:g} s"))
        line = self._replies.readline()
        if not line.endswith(b"\n"):
            raise WorkerLostError(self._told(f"ended while it carried out {do!r}"))
        reply = _parse(line)
        if reply is None:
            self._process.kill()
            raise WorkerLostError(self._told(f"answered {do!r} with something that is no reply"))
        return reply

    def _told(self, what: str) -> str:
        """Return `what` with the process's exit status and the end of its stderr."""
        try:
            status = self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - TAIL_BYTES))
        said = self._log.read().decode(errors="replace").strip().splitlines()
        last = f": {said[-1]}" if said else ""
        return f"a worker process {what} (exit status {status}){last}"

    def close(self) -> None:
        self._selector.close()
        with suppress(BrokenPipeError):
            self._commands.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._replies.close()
        self._log.close()


def _parse(line: bytes) -> dict[str, Any] | None:
    """Return the reply in `line`, None when it is none."""
    try:
        reply = json.loads(line)
    except ValueError:
        return None
    whole = isinstance(reply, dict) and (reply.get("ok") is True or {"ok", "error", "code"} <= reply.keys())
    return reply if whole else None
