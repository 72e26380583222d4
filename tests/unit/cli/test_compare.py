"""`placement compare` and `placement history`: from files to tables and documents."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from placement_cli.cli.compare import compare
from placement_cli.cli.history import history
from placement_cli.errors import NothingComparable, UnreadableInput, UsageError

app = typer.Typer()
app.command()(compare)
app.command()(history)

Invoke = Callable[..., str]
DATA = Path(__file__).parents[2] / "data"
STREAM, PYPERF = DATA / "runs" / "stream.json", DATA / "foreign" / "pyperf.json"


def output(*arguments: str | Path) -> str:
    """Return what a command prints, which must succeed."""
    done = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


@pytest.fixture
def slower(tmp_path: Path) -> Path:
    """A file of pyperf whose second benchmark takes 30 % longer."""
    data = json.loads(PYPERF.read_bytes())
    for each in data["benchmarks"][1]["runs"]:
        each["values"] = [1.3 * value for value in each.get("values", [])]
    path = tmp_path / "slower.json"
    path.write_text(json.dumps(data))
    return path


def test_files_of_a_tool_are_compared(slower: Path) -> None:
    """As those of pyperf, one value a process."""
    text = output("compare", PYPERF, slower)
    assert "slower against pyperf: 1 slower, 0 faster, " in text
    assert "1.30x" in text


def test_the_base_is_the_first_or_named(slower: Path) -> None:
    """By name or by path."""
    for name in ("slower", slower):
        assert "pyperf against slower: 0 slower, 1 faster" in output("compare", PYPERF, slower, "--base", name)
    with pytest.raises(UsageError, match=r"--base slowly: is none of the runs\. Did you mean 'slower'"):
        output("compare", PYPERF, slower, "--base", "slowly")


def test_the_document_is_alone_on_stdout(slower: Path, tmp_path: Path) -> None:
    """And the same in the file asked for."""
    out = tmp_path / "out.json"
    text = output("compare", PYPERF, slower, "--json", "-o", out)
    assert json.loads(text)["schema"] == "placement.comparison"
    assert out.read_text() == text
    with pytest.raises(UsageError, match=r"written as \.json alone"):
        output("compare", PYPERF, slower, "-o", tmp_path / "out.csv")


def test_rows_are_chosen_by_case_and_metric() -> None:
    """Both options take globs, and a glob without a match ends it."""
    text = output("compare", STREAM, STREAM, "-k", "*128x1024*", "--metric", "complete*", "--json")
    assert {line["metric"] for line in json.loads(text)["lines"]} == {"complete_s"}
    assert all("128x1024" in line["case"] for line in json.loads(text)["lines"])
    with pytest.raises(NothingComparable, match="--metric time"):
        output("compare", STREAM, STREAM, "--metric", "time")
    with pytest.raises(NothingComparable, match=r"Left out, as the run calls them invalid: chunk-size.chunk=1024x2048"):
        output("compare", STREAM, STREAM, "-k", "*1024x2048*")


def test_files_of_one_name_go_by_their_folders(tmp_path: Path) -> None:
    """And the same file twice by its number."""
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run.json").write_bytes(PYPERF.read_bytes())
    text = output(
        "compare", tmp_path / "old" / "run.json", tmp_path / "new" / "run.json", "--columns", "tool,run.started"
    )
    assert "new/run against old/run" in text
    assert "pyperf 2.11.0" in text
    text = output("compare", PYPERF, PYPERF)
    assert "A  base  foreign/pyperf (1)" in text
    assert "B        foreign/pyperf (2)" in text


def test_the_spread_of_other_days_sets_the_floor(slower: Path, tmp_path: Path) -> None:
    """30 % is nothing where days lie 20 % apart."""
    days = tmp_path / "days"
    days.mkdir()
    for number, scale in enumerate((1.0, 1.25, 0.8)):
        text = PYPERF.read_text().replace("2026-01-05", f"2026-01-0{number + 1}")
        data = json.loads(text)
        for each in data["benchmarks"][1]["runs"]:
            each["values"] = [scale * value for value in each.get("values", [])]
        (days / f"{number}.json").write_text(json.dumps(data))
    text = output("compare", PYPERF, slower, "--history", days, "--explain")
    assert "0 slower" in text
    assert "3 times the spread of" in text


def test_nothing_in_common_and_nothing_readable(tmp_path: Path) -> None:
    """One error each, with the exit code of its kind; a single run is no comparison."""
    with pytest.raises(NothingComparable, match="Nothing can be compared"):
        output("compare", STREAM, PYPERF)
    (tmp_path / "torn.json").write_bytes(STREAM.read_bytes()[:1000])
    with pytest.raises(UnreadableInput, match=r"torn\.json: this is no JSON"):
        output("compare", STREAM, tmp_path / "torn.json")
    with pytest.raises(UsageError, match="at least two runs"):
        output("compare", STREAM)


def test_a_folder_has_a_history(tmp_path: Path) -> None:
    """As a table or as a document; what cannot be read is told."""
    (tmp_path / "run.json").write_bytes(STREAM.read_bytes())
    (tmp_path / "torn.json").write_text("{")
    text = output("history", tmp_path, "-k", "*128x1024*")
    assert "1 run: Example M1" in text
    assert "torn.json: this is no JSON" in text
    out = tmp_path / "history" / "h.json"
    assert output("history", tmp_path, "--json", "-o", out) == out.read_text()
    assert json.loads(out.read_text())["unreadable"][0]["path"] == "torn.json"
    with pytest.raises(UsageError, match=r"written as \.json alone"):
        output("history", tmp_path, "-o", tmp_path / "h.md")


def test_a_folder_without_runs_has_none(tmp_path: Path) -> None:
    """Whether it is empty or holds nothing that can be read."""
    with pytest.raises(NothingComparable, match="none of its 0 JSON files is a run"):
        output("history", tmp_path)
    (tmp_path / "x.json").write_text("[]")
    with pytest.raises(NothingComparable, match=r"none of its 1 JSON files is a run\. x\.json: this is nothing"):
        output("history", tmp_path)


def test_the_commands_load_nothing_heavy() -> None:
    """Neither SciPy, ruptures nor pydantic, nor a room below the command line."""
    heavy = ["numpy", "scipy", "pandas", "pydantic", "ruptures", "placement_cli.comparing", "placement_cli.render"]
    code = (
        "import sys; import placement_cli.cli.compare, placement_cli.cli.history; "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
