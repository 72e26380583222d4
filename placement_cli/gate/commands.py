"""Other programs that prepare a side: git and pip, run to their end, with what they said when they fail."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

LIMIT_S = 600.0
"""A command that takes longer is ended."""
GIT = "GIT_"
"""What the names of git's own variables begin with."""
TOLD_LINES = 6
"""Lines of a failed command's words that are passed on."""


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended: `code` is its exit status, `said` its output, `problem` the end of its complaints."""

    code: int
    said: str
    problem: str

    @property
    def ok(self) -> bool:
        """Whether it did what it was asked to."""
        return self.code == 0


RunCommand = Callable[..., Done]
"""Runs a command (a list of words) with `folder` and `variables` and returns how it ended; see `run_command`."""


def run_command(
    words: Sequence[str],
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
    limit_s: float = LIMIT_S,
) -> Done:
    """Run a command without a terminal to ask questions on; never raises for what the command does.

    Variables that point git at a certain repository are not passed on: they would make it work on that one, whatever
    folder it is told. A command that takes longer than `limit_s` is ended with all that it started.
    """
    given = os.environ if variables is None else variables
    kept = {name: value for name, value in given.items() if not name.startswith(GIT)}
    try:
        process = subprocess.Popen(  # noqa: S603 - a list of words, no shell
            list(words),
            cwd=folder,
            env=kept,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        return Done(127, "", f"{words[0]}: {error.strerror}")
    except ValueError as error:
        # No program can be given a NUL.
        return Done(127, "", f"{words[0]}: {error}")
    with process:
        try:
            said, complained = process.communicate(timeout=limit_s)
        except BaseException as error:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            return Done(124, "", f"{words[0]} did not end within {limit_s:g} s")
    return Done(process.returncode, _text(said), _last(_text(complained) or _text(said)))


def _text(said: bytes) -> str:
    return said.decode("utf-8", "replace").strip()


def _last(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    faults = [line for line in lines if not line.startswith("WARNING")]
    return " / ".join((faults or lines)[-TOLD_LINES:])
