"""The two consoles: results go to stdout, progress and warnings to stderr."""

from __future__ import annotations

import os
import sys
from typing import IO

from rich.console import Console

PIPE_WIDTH = 120
"""Columns of a table that goes to a file or a pipe."""


def stdout_console() -> Console:
    """Return the console of results; NO_COLOR, FORCE_COLOR and TERM are respected by Rich."""
    return _console(sys.stdout)


def stderr_console() -> Console:
    """Return the console of progress and warnings."""
    return _console(sys.stderr)


def _console(file: IO[str]) -> Console:
    width = None if file.isatty() or "COLUMNS" in os.environ else PIPE_WIDTH
    return Console(file=file, width=width, highlight=False, emoji=False, markup=False)
