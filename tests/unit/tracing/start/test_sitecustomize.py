"""What begins to record steps aside, and leaves Python as the program would have found it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Interpret = Callable[..., Any]
SHOW = "import json, sys; print(json.dumps([sys.path, sorted(set(sys.argv))]))"


def test_the_path_is_the_one_without_recording(interpret: Interpret, tmp_path: Path) -> None:
    """The program's own folders are in it, in their order, and ours is not."""
    folders = (tmp_path / "one", tmp_path / "two")
    with_it, without = interpret(SHOW, *folders), interpret(SHOW, *folders, recording=False)
    assert json.loads(with_it.stdout) == json.loads(without.stdout)
    assert with_it.stderr == without.stderr == ""


def test_the_programs_own_sitecustomize_runs(interpret: Interpret, tmp_path: Path) -> None:
    """As the module of that name, after ours."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text("import sys\nsys.own = __file__\n", encoding="utf-8")
    source = "import sys, sitecustomize; print(sys.own == sitecustomize.__file__, 'mlx.core' in sys.modules)"
    assert interpret(source, folder).stdout == "True False\n"


def test_a_sitecustomize_that_fails_does_so_as_it_would(interpret: Interpret, tmp_path: Path) -> None:
    """Python says so and runs the program."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text("raise LookupError('own')\n", encoding="utf-8")
    with_it, without = interpret("print(1)", folder), interpret("print(1)", folder, recording=False)
    assert (with_it.stdout, with_it.stderr) == (without.stdout, without.stderr)
    assert "own" in with_it.stderr


def test_what_cannot_be_recorded_runs_all_the_same(interpret: Interpret, tmp_path: Path) -> None:
    """One sentence says so."""
    folder = tmp_path / "broken"
    (folder / "placement_cli" / "tracing").mkdir(parents=True)
    for package in ("placement_cli", "placement_cli/tracing"):
        (folder / package / "__init__.py").write_text("", encoding="utf-8")
    done = interpret("print(1)", folder)
    assert (done.returncode, done.stdout) == (0, "1\n")
    assert done.stderr.startswith("placement: this process is not traced (")
    assert done.stderr.count("\n") == 1


def test_only_what_recording_needs_is_imported(interpret: Interpret) -> None:
    """A program that starts fast still does: none of the heavy libraries, and nothing of this package but its room."""
    done = interpret("import json, sys; print(json.dumps(sorted(sys.modules)))")
    names = set(json.loads(done.stdout))
    assert "placement_cli.tracing.session" in names
    assert not names & {"typer", "rich", "pydantic", "numpy", "mlx", "psutil"}
    rooms = {name.split(".")[1] for name in names if name.startswith("placement_cli.")}
    assert rooms == {"tracing", "materialize"}
