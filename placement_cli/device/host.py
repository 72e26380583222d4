"""How the operating system is asked: its commands, files and counters, each replaceable by a fake."""

from __future__ import annotations

import glob
import os
import platform
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import psutil

COMMAND_TIMEOUT_S = 2.0
"""A command that takes longer tells nothing. State is read between blocks, where a wait cools the chip."""

Run = Callable[[Sequence[str]], str | None]
"""Runs a command and returns what it printed, or None."""
ReadFile = Callable[[str], str | None]
"""Returns the text of a file, or None."""
ListFiles = Callable[[str], Sequence[str]]
"""Returns the paths that match a pattern with `*`, sorted."""


class Counters(Protocol):
    """The part of psutil that is used. The module itself fulfils it."""

    def cpu_count(self, logical: bool = True) -> int | None:
        """Number of processors: hardware threads, or cores when not `logical`."""

    def virtual_memory(self) -> Any:
        """An object with `total` and `available`, in bytes."""

    def getloadavg(self) -> tuple[float, float, float]:
        """Load averages over 1, 5 and 15 minutes."""


def run_command(argv: Sequence[str]) -> str | None:
    """Return what the command prints; None when it is missing, fails or takes longer than two seconds."""
    try:
        done = subprocess.run(  # noqa: S603 - the commands are constants of this package, never input
            list(argv),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=COMMAND_TIMEOUT_S,
            check=False,
            env=os.environ | {"LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def read_text(path: str) -> str | None:
    """Return the text of the file; None when it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def list_files(pattern: str) -> Sequence[str]:
    """Return the existing paths that match the pattern, sorted; empty when there are none."""
    # Path.glob wants a folder to start from; these patterns have wildcards in the middle.
    return sorted(glob.glob(pattern))  # noqa: PTH207 - see above


@dataclass(frozen=True, slots=True)
class Host:
    """The operating system as it can be asked. `system` is what `platform.system()` says."""

    system: str
    run: Run = run_command
    read_file: ReadFile = read_text
    list_files: ListFiles = list_files
    counters: Counters = psutil

    def cpu_count(self, *, logical: bool) -> int | None:
        """Number of hardware threads, or of cores; None when the system does not tell."""
        try:
            return self.counters.cpu_count(logical=logical)
        except (OSError, psutil.Error):
            return None

    def ram_bytes(self) -> int | None:
        """Bytes of memory in all; None when the system does not tell."""
        return self._memory("total")

    def free_memory_bytes(self) -> int | None:
        """Bytes that programs can have without swapping; None when the system does not tell."""
        return self._memory("available")

    def load1(self) -> float | None:
        """Runnable processes, averaged over a minute; None when the system does not tell."""
        try:
            return self.counters.getloadavg()[0]
        except (OSError, psutil.Error):
            return None

    def _memory(self, field: str) -> int | None:
        try:
            return int(getattr(self.counters.virtual_memory(), field))
        except (OSError, psutil.Error):
            return None


def this_host() -> Host:
    """Return the computer this process runs on."""
    return Host(platform.system())
