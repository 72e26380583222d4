"""A stored run from a file, whichever tool wrote it: the format is told by its content, never by its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from placement_cli.comparing.foreign import google_benchmark, hyperfine, pyperf, pytest_benchmark
from placement_cli.comparing.from_run import recorded_from
from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.errors import UnreadableInput
from placement_cli.store.files import run_from
from placement_cli.store.json_input import read_json

READS = "runs of placement, and the JSON of pyperf, Google Benchmark, hyperfine and pytest-benchmark"

Recognise = Callable[[Mapping[str, Any]], bool]
Record = Callable[[Mapping[str, Any], str, str], Recorded]

FOREIGN: tuple[tuple[Recognise, Record], ...] = (
    (pytest_benchmark.recognised, pytest_benchmark.recorded),
    (google_benchmark.recognised, google_benchmark.recorded),
    (pyperf.recognised, pyperf.recorded),
    (hyperfine.recognised, hyperfine.recorded),
)
"""The formats of other tools: what recognises a document, and what reads it."""


def load_recorded(path: Path) -> Recorded:
    """Read a stored run: a document of `bench` or `check`, or a file of another tool; packed with gzip or not.

    Raises UnreadableInput, with the path and the place, when it is damaged, of a newer major version, too large, or
    nothing that is read here.
    """
    data, name = read_json(path), run_name(path)
    if isinstance(data, dict) and "schema" in data:
        return recorded_from(run_from(path, data), name, str(path))
    if isinstance(data, dict):
        for recognised, recorded in FOREIGN:
            if recognised(data):
                return _numbered(recorded(data, name, str(path)))
    raise UnreadableInput(f"{path}: this is nothing that can be compared. What is read: {READS}.")


def _numbered(run: Recorded) -> Recorded:
    """Return `run` with a number behind each name that it holds a second time."""
    seen: Counter[tuple[str, str, str]] = Counter()
    series: list[Series] = []
    for each in run.series:
        seen[each.key] += 1
        times = seen[each.key]
        series.append(each if times == 1 else replace(each, case=f"{each.case} ({times})"))
    return replace(run, series=tuple(series))


def run_names(paths: Sequence[Path]) -> list[str]:
    """Return what the runs in `paths` are called: by their files, where these are called alike by their folders too.

    Those that still have one name go by their number as well.
    """
    short = [run_name(path) for path in paths]
    longer = [f"{path.absolute().parent.name}/{name}" for path, name in zip(paths, short, strict=True)]
    names = [own if short.count(own) == 1 else more for own, more in zip(short, longer, strict=True)]
    return [name if names.count(name) == 1 else f"{name} ({n})" for n, name in enumerate(names, start=1)]


def run_name(path: Path) -> str:
    """Return what a run in `path` is called: the file's name without `.json` and `.gz`."""
    return path.name.removesuffix(".gz").removesuffix(".json") or path.name
