"""Other programs that prepare a side: git and pip, run to their end, with what they said when they fail."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LIMIT_S = 600.0
"""A command that takes longer is ended."""
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
    """Run a command without a terminal to ask questions on; never raises for what the command does."""
    try:
        ended = subprocess.run(  # noqa: S603 - a list of words, no shell
            list(words),
            cwd=folder,
            env=None if variables is None else dict(variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=limit_s,
            check=False,
        )
    except OSError as error:
        return Done(127, "", f"{words[0]}: {error.strerror}")
    except ValueError as error:
        # No program can be given a NUL.
        return Done(127, "", f"{words[0]}: {error}")
    except subprocess.TimeoutExpired:
        return Done(124, "", f"{words[0]} did not end within {limit_s:g} s")
    return Done(ended.returncode, _text(ended.stdout), _last(_text(ended.stderr) or _text(ended.stdout)))


def _text(said: bytes) -> str:
    return said.decode("utf-8", "replace").strip()


def _last(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    faults = [line for line in lines if not line.startswith("WARNING")]
    return " / ".join((faults or lines)[-TOLD_LINES:])
