"""The two consoles: results go to stdout, progress and warnings to stderr."""

from __future__ import annotations

import os
import sys
from typing import IO

from rich.console import Console

PIPE_WIDTH = 120
"""Columns of a table that goes to a file or a pipe."""
LEAST_WIDTH = 20
"""Fewer columns than this are no wish but a mistake of the shell."""


def stdout_console() -> Console:
    """Return the console of results; NO_COLOR, FORCE_COLOR and TERM are respected by Rich."""
    return _console(sys.stdout)


def stderr_console() -> Console:
    """Return the console of progress and warnings; what it says goes nowhere once nobody reads it any more."""
    return _console(sys.stderr, _Unheard)


class _Unheard(Console):
    """A console that nobody has to read: a closed pipe ends no measurement, and changes no exit code."""

    def on_broken_pipe(self) -> None:
        """Send what is still to come nowhere."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())


def _console(file: IO[str], kind: type[Console] = Console) -> Console:
    return kind(file=file, width=_width(file), highlight=False, emoji=False, markup=False)


def _width(file: IO[str]) -> int | None:
    """Return the columns asked for with COLUMNS, those of a pipe, or None to ask the terminal."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked) >= LEAST_WIDTH:
        return int(asked)
    return None if file.isatty() else PIPE_WIDTH
