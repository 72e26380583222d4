"""Runs code of a test as a traced program: the tests' own files count as the program's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from placement_cli.measure.spawn import ROOT
from placement_cli.tracing import looks as module
from placement_cli.tracing.block import tracing
from placement_cli.tracing.looks import Looks
from placement_cli.tracing.places import Places
from placement_cli.tracing.raw import RawProcess

Traced = Callable[[Callable[[], Any]], RawProcess]
Alone = Callable[[Callable[[], Any]], Any]
Interpret = Callable[..., subprocess.CompletedProcess[str]]
START = ROOT / "placement_cli" / "tracing" / "start"


@pytest.fixture
def traced() -> Traced:
    """Runs a function under tracing and returns what was recorded."""

    def run(function: Callable[[], Any]) -> RawProcess:
        with tracing() as block:
            function()
        assert block.process is not None
        return block.process

    return run


@pytest.fixture
def alone() -> Alone:
    """Runs a function below which no other function of the program is running, and returns what that returns."""

    def run(function: Callable[[], Any]) -> Any:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(function).result()

    return run


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    """Looks at variables that nobody takes by themselves; counting operations takes them a microsecond each time."""
    reads = count()
    monkeypatch.setattr(module, "perf_counter", lambda: next(reads) / 1e6)
    return Looks(mx, Places())


@pytest.fixture
def interpret(tmp_path: Path) -> Interpret:
    """Runs a program in a Python of its own that records into the folder `records`, or in one that does not."""
    (tmp_path / "records").mkdir()

    def run(source: str, *paths: Path, recording: bool = True) -> subprocess.CompletedProcess[str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PLACEMENT_")}
        added = [str(START)] if recording else []
        variables = {"PYTHONPATH": os.pathsep.join([*added, *map(str, paths)])}
        if recording:
            variables |= {"PLACEMENT_TRACE": str(tmp_path / "records"), "PLACEMENT_TRACE_ROOT": str(ROOT)}
        return subprocess.run(
            [sys.executable, "-c", source],
            cwd=tmp_path,
            env=kept | variables,
            encoding="utf-8",
            capture_output=True,
            timeout=60,
        )

    return run
