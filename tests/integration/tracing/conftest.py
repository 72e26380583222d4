"""Programs of a file's tests, traced by the real command, two at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Traced:
    """A program that was traced: how it ended, what it printed, and what was found above a note."""

    returncode: int
    stdout: str
    stderr: str
    findings: list[dict[str, Any]]


TraceAll = Callable[[Mapping[str, Sequence[str | Path]]], dict[str, Traced]]


@pytest.fixture(scope="module")
def trace_all(placement_module: Any) -> TraceAll:
    """Return a function that traces programs, each with its arguments, by name; two at a time, as there are cores."""

    def trace(program: tuple[str, Sequence[str | Path]]) -> tuple[str, Traced]:
        name, words = program
        document = f"{name}.trace.json".replace(" ", "-").replace(":", "-")
        done = placement_module("trace", "-o", document, *words)
        found = json.loads((placement_module.folder / document).read_bytes())["findings"]
        above = [each for each in found if each["severity"] != "note"]
        return name, Traced(done.returncode, done.stdout, done.stderr, above)

    def run(programs: Mapping[str, Sequence[str | Path]]) -> dict[str, Traced]:
        with ThreadPoolExecutor(2) as pool:
            return dict(pool.map(trace, programs.items()))

    return run
