"""One side of a gate: what its interpreter finds, and how its workers are started."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from placement_cli.errors import UsageError
from placement_cli.gate.commands import Done
from placement_cli.gate.side import ROOT, Side, code_digest, current_side, described
from placement_cli.measure import spawn


def a_side(*path: str) -> Side:
    """Return a side of this interpreter with these folders before all else."""
    return Side("../other", "copy", "/other", sys.executable, path)


def copy(folder: Path, name: str, **files: str) -> Path:
    """Make a copy of the package with these files."""
    for file, text in {"__init__": "", **files}.items():
        path = folder / name / "placement_cli" / f"{file}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / name


def test_the_current_side_is_this_installation() -> None:
    """Its interpreter and package are those at work, and its facts are the versions found here."""
    side = current_side()
    assert (side.interpreter, side.path, side.kind) == (sys.executable, (str(ROOT),), "current")
    assert side.facts["packages"].keys() >= {"mlx", "numpy"}
    assert side.facts["placement"] == {"digest": code_digest(ROOT / "placement_cli")}
    assert side.facts["python"].startswith("CPython ")


def test_a_copy_is_found_before_what_is_installed(tmp_path: Path) -> None:
    """The digest is that of the copy's own code, the working directory is no part of the path."""
    one, other = copy(tmp_path, "one", x="a = 1"), copy(tmp_path, "other", x="a = 2")
    digests = [described(a_side(str(each))).facts["placement"]["digest"] for each in (one, other)]
    assert digests == [code_digest(each / "placement_cli") for each in (one, other)]
    assert digests[0] != digests[1]


def test_equal_code_has_an_equal_digest(tmp_path: Path) -> None:
    """Wherever it lies and whatever lies beside its Python files; a name or a byte makes it another one."""
    one, two = copy(tmp_path, "one", a="1", b="2"), copy(tmp_path, "two", a="1", b="2")
    (two / "placement_cli" / "notes.txt").write_text("not code")
    renamed, moved = copy(tmp_path, "three", a="1", c="2"), copy(tmp_path, "four", a="12", b="")
    digests = [code_digest(each / "placement_cli") for each in (one, two, renamed, moved)]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


@pytest.mark.parametrize(
    ("done", "told"),
    [
        (Done(1, "", "ModuleNotFoundError: no json"), r"does not run: ModuleNotFoundError: no json\.$"),
        (Done(0, "hello", ""), r"does not run: hello\.$"),
        (Done(0, "[1]", ""), "does not run"),
        (Done(0, "", ""), "does not run"),
        (Done(0, '{"root": null}', ""), "does not run"),
        (Done(0, '{"root": null, "python": "3", "packages": {}}', ""), "no placement_cli is found on its path"),
    ],
)
def test_a_side_that_cannot_run_workers_is_told(done: Done, told: str, programs: Callable[..., Any]) -> None:
    """An interpreter that fails, that says something else, and one without this package."""
    with pytest.raises(UsageError, match=rf"^--against \.\./other: .*{told}"):
        described(a_side(), programs(lambda _: done))


def test_only_the_last_line_is_the_answer(programs: Callable[..., Any], tmp_path: Path) -> None:
    """Whatever a start-up file of that environment prints before it."""
    said = json.dumps({"root": str(copy(tmp_path, "x") / "placement_cli" / "__init__.py"), "python": "CPython 3"})
    packages = json.dumps({**json.loads(said), "packages": {"mlx": "0.31.1", "wheel": "1"}})
    side = described(
        replace(a_side(), path=(str(tmp_path / "x"),)), programs(lambda _: Done(0, f"Welcome!\n{packages}", ""))
    )
    assert side.facts["packages"] == {"mlx": "0.31.1", "wheel": "1"}


def test_an_interpreter_that_is_gone_is_told(tmp_path: Path) -> None:
    """With what the system says of it."""
    side = Side("env", "environment", "env", str(tmp_path / "python"), ())
    with pytest.raises(UsageError, match="No such file or directory"):
        described(side)


def test_workers_are_those_of_the_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its interpreter, with its folders before all else, on the device asked for."""
    started: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(spawn, "_Process", lambda command, environment: started.append((command, environment)))
    Side("env", "environment", "env", "/env/bin/python", ("/one", "/two")).spawn("gpu")()
    ((command, environment),) = started
    assert command == ["/env/bin/python", "-P", "-m", "placement_cli.measure.worker", "gpu"]
    assert environment["PYTHONPATH"].startswith("/one:/two")


def test_what_cannot_be_read_is_no_traceback(tmp_path: Path) -> None:
    """A link to nothing, as an editor leaves it beside a file, is no code."""
    package = copy(tmp_path, "one", a="1") / "placement_cli"
    before = code_digest(package)
    (package / ".#a.py").symlink_to("nobody@nowhere")
    (package / "folder.py").mkdir()
    assert code_digest(package) == before
