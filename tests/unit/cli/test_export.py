"""`placement export`: from the document of a run to files of other tools."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner, Result

from placement_cli.cli.export import export
from placement_cli.errors import NothingComparable, PlacementError, UnreadableInput, UsageError
from placement_cli.export.formats import FORMATS
from placement_cli.export.run_pyperf import run_pyperf
from placement_cli.store.run_document import RunDocument

APP = typer.Typer()
APP.command()(export)


def invoke(*arguments: str | Path) -> Result:
    """Run `placement export ARGUMENTS`; what it raises passes through."""
    return CliRunner().invoke(APP, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.fixture
def stored(tmp_path: Path, load_run_of: Callable[[str], RunDocument]) -> Path:
    """The document of a run in a file."""
    path = tmp_path / "run.json"
    path.write_text(load_run_of("stream").to_json(), encoding="utf-8")
    return path


def test_a_format_goes_to_stdout(stored: Path, load_run_of: Callable[[str], RunDocument]) -> None:
    """As it is, and nothing else."""
    assert invoke(stored, "--format", "pyperf", "--arm", "sync").stdout == run_pyperf(load_run_of("stream"), "sync")


def test_every_ending_is_written(stored: Path, tmp_path: Path) -> None:
    """Several files in one go, and a named format whatever the ending."""
    suffixes = [suffix for form in FORMATS.values() for suffix in form.suffixes]
    outputs = [argument for suffix in suffixes for argument in ("-o", tmp_path / f"out{suffix}")]
    assert invoke(stored, *outputs).exit_code == 0
    assert all((tmp_path / f"out{suffix}").stat().st_size > 0 for suffix in suffixes)
    invoke(stored, "--format", "bencher", "-o", tmp_path / "other.txt")
    assert (tmp_path / "other.txt").read_bytes() == (tmp_path / "out.bencher.json").read_bytes()


def test_bytes_go_to_a_pipe(stored: Path) -> None:
    """Parquet is no text, and reads back from what came out."""
    frame = pd.read_parquet(io.BytesIO(invoke(stored, "--format", "parquet").stdout_bytes))
    assert len(frame) > 0


def test_the_formats_are_listed() -> None:
    """Each with its endings; no run is needed."""
    lines = invoke("--list").stdout.splitlines()
    assert [line.split()[0] for line in lines[2:]] == list(FORMATS)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "say which run"),
        (["RUN"], "say in which format"),
        (["RUN", "--format", "pypref"], "Did you mean 'pyperf'"),
        (["RUN", "-o", "x.cvs"], "no format has the ending '.cvs'"),
        (["RUN", "-o", "x.md", "--format", "csv"], r"--format says csv, but this ending that of md\. .*\.csv"),
        (["RUN", "-o", "x.json", "--format", "pyperf"], r"ending that of json\. Endings of pyperf: \.pyperf\.json"),
        (["RUN", "-o", "x.md", "--arm", "sync"], "md always holds all arms"),
        (["RUN", "--format", "otava", "--arm", "snyc"], "Did you mean 'sync'"),
    ],
)
def test_wrong_usage_is_told(stored: Path, arguments: list[str], told: str) -> None:
    """One clear error."""
    with pytest.raises(UsageError, match=told):
        invoke(*(str(stored) if argument == "RUN" else argument for argument in arguments))


def test_nothing_is_written_when_one_format_fails(stored: Path, tmp_path: Path) -> None:
    """All are made before the first is written."""
    with pytest.raises(UsageError):
        invoke(stored, "-o", tmp_path / "a.otava.csv", "-o", tmp_path / "a.pyperf.json", "--arm", "none")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.json"]


def test_a_run_without_values_is_nothing_to_compare(stored: Path, load_run_of: Callable[[str], RunDocument]) -> None:
    """Other tools refuse an empty file, or take it for a success; the run itself can still be written."""
    stored.write_text(load_run_of("stream").model_copy(update={"cases": []}).to_json(), encoding="utf-8")
    for name in ("pyperf", "bencher", "github", "gbench", "otava"):
        with pytest.raises(NothingComparable, match=f"{name} would be empty"):
            invoke(stored, "--format", name)
    assert invoke(stored, "--format", "junit").exit_code == 0


def test_a_run_that_contradicts_itself_is_unreadable(stored: Path) -> None:
    """The place is told."""
    data = json.loads(stored.read_text())
    data["cases"][0]["blocks"][0]["samples"][0]["messages"] = 0
    stored.write_text(json.dumps(data))
    with pytest.raises(UnreadableInput, match=r"run\.json: cases\.0\.blocks\.0\.samples\.0\.messages"):
        invoke(stored, "--format", "csv")


def test_broken_runs_never_break_an_export(stored: Path, tmp_path: Path) -> None:
    """With values replaced at random, a run is either refused as unreadable or written in every format."""
    whole = stored.read_text()
    chance = random.Random(0)
    outputs = [argument for form in FORMATS.values() for argument in ("-o", tmp_path / f"out{form.suffixes[0]}")]
    outcomes = set()
    for _ in range(60):
        data = json.loads(whole)
        replace_one(data, chance)
        stored.write_text(json.dumps(data))
        try:
            outcomes.add(invoke(stored, *outputs).exit_code)
        except PlacementError as error:
            outcomes.add(error.exit_code)
    assert outcomes == {0, 7}


def replace_one(data: Any, chance: random.Random) -> None:
    """Put something else in one place of a document."""
    part, key = data, "cases"
    while True:
        inner = part[key]
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner))) if isinstance(inner, list) else []
        if not keys or chance.random() < 0.1:
            part[key] = chance.choice([None, 0, -1, 1e308, 10**30, "", "<b>\n", [], {}, True, "off"])
            return
        part, key = inner, chance.choice(keys)


def test_its_help_loads_nothing_heavy() -> None:
    """Neither documents nor arrays, nor a room below the command line."""
    heavy = ["mlx", "numpy", "pandas", "scipy", "pyarrow", "pydantic", "placement_cli.export", "placement_cli.render"]
    code = (
        "import sys, typer; from typer.testing import CliRunner; from placement_cli.cli.export import export; "
        "app = typer.Typer(); app.command()(export); "
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0; "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
