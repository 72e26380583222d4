"""Files are recognised by their content, and refused with one clear error."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from placement_cli.comparing.loading import load_recorded, run_name, run_names
from placement_cli.errors import UnreadableInput

DATA = Path(__file__).parents[2] / "data"
FOREIGN = {
    "pyperf": "pyperf 2.11.0",
    "pytest_benchmark": "pytest-benchmark 5.3.1",
    "google_benchmark": "Google Benchmark v1.9.1",
    "hyperfine": "hyperfine",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_other_tools_are_recognised(name: str, tmp_path: Path) -> None:
    """By what is in the file, whatever it is called, packed or not."""
    source = DATA / "foreign" / f"{name}.json"
    found = load_recorded(source)
    assert (found.name, found.origin, found.tool) == (name, str(source), FOREIGN[name])
    packed = tmp_path / "x.json.gz"
    packed.write_bytes(gzip.compress(source.read_bytes()))
    assert load_recorded(packed).series == found.series


@pytest.mark.parametrize("path", sorted((DATA / "runs").glob("*.json")), ids=lambda path: path.stem)
def test_our_runs_are_recognised(path: Path) -> None:
    """Every reading gives series of values that can be compared."""
    found = load_recorded(path)
    assert found.tool == "placement 0.1.0"
    assert found.fingerprint.startswith("sha256:")
    assert found.series
    assert all(series.values for series in found.series)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"schema": "placement.profile"}, "it is a profile"),
        ({"schema": "placement.plan"}, "it is a plan"),
        ({"schema": "placement.advice"}, "it is advice"),
        ({"schema": "placement.journal"}, "this is the journal of a run"),
        ({"schema": "placement.comparison"}, "it is a comparison"),
        ({"schema": "other"}, "this is no document of a placement run"),
        ({"schema": ["x"]}, "this is no document of a placement run"),
        ({"schema": "placement.run", "schema_version": "2.0.0"}, "is newer than this placement reads"),
        ({"schema": "placement.run", "schema_version": "1.0.0"}, "tool: Field required"),
        ({}, "this is nothing that can be compared. What is read: runs of placement, and the JSON of pyperf"),
        ([1, 2], "this is nothing that can be compared"),
        ({"benchmarks": 5, "version": "1.0"}, "this is nothing that can be compared"),
    ],
)
def test_what_is_no_run_is_told(tmp_path: Path, document: Any, message: str) -> None:
    """The error names the file and, where it is known, what it is instead."""
    path = tmp_path / "given.json"
    path.write_text(json.dumps(document))
    with pytest.raises(UnreadableInput, match=rf"given\.json: .*{message}"):
        load_recorded(path)


def test_names_that_stand_twice_are_numbered(tmp_path: Path) -> None:
    """Two results of one name are two series."""
    path = tmp_path / "twice.json"
    path.write_text(json.dumps({"results": [{"command": "ls", "times": [1.0]}, {"command": "ls", "times": [2.0]}]}))
    assert [series.case for series in load_recorded(path).series] == ["ls", "ls (2)"]


@pytest.mark.parametrize(("file", "name"), [("a.json", "a"), ("a.json.gz", "a"), ("a.b", "a.b"), (".json", ".json")])
def test_runs_are_called_as_their_files(file: str, name: str) -> None:
    """Without the endings that all of them have."""
    assert run_name(Path("x") / file) == name


def test_runs_of_one_name_are_told_apart() -> None:
    """By their folders, and where these are alike too by their numbers."""
    paths = ["a/run.json", "b/run.json.gz", "x/c/run.json", "y/c/run.json", "other.json"]
    assert run_names(list(map(Path, paths))) == ["a/run", "b/run", "c/run (3)", "c/run (4)", "other"]
