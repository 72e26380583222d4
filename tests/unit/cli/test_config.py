"""`placement config`: what holds in a folder, and where it comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from placement_cli.cli.config import config
from placement_cli.errors import UnreadableInput, UsageError
from placement_cli.settings import finding


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, for the user too."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(finding, "user_folder", lambda: tmp_path / "user")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.setenv("PLACEMENT_CHECK_EXPECT_CASES", "7")
    return tmp_path


def output(*arguments: str) -> str:
    """Return what `placement config ARGUMENTS` prints, which must succeed."""
    done = CliRunner().invoke(config, arguments, catch_exceptions=False, env={"COLUMNS": "200"})
    assert done.exit_code == 0
    return done.stdout


def test_show_tells_value_and_origin(project: Path) -> None:
    """Of a file, of a variable, and of what nobody set."""
    (project / "placement.toml").write_text("[check]\nquick = true\n", encoding="utf-8")
    lines = {tuple(line.split()) for line in output("show", "--origin").splitlines()}
    assert ("check.quick", "true", "placement.toml:2") in lines
    assert ("check.expect-cases", "7", "PLACEMENT_CHECK_EXPECT_CASES") in lines
    assert ("check.workload", "builtin", "default") in lines
    assert "placement.toml:2" not in output("show")
    assert json.loads(output("show", "--json"))["check"]["quick"] == {"value": True, "origin": "placement.toml:2"}


def test_path_tells_which_files_are_used(project: Path) -> None:
    """Also while what stands in them is wrong: then it is needed most."""
    (project / "placement.toml").write_text("chek = 1\n", encoding="utf-8")
    found = {each["path"]: each["found"] for each in json.loads(output("path", "--json"))["files"]}
    assert found[str(project / "placement.toml")] == "used"
    assert found[str(project / "pyproject.toml")] == "not there"
    assert str(project / "placement.toml") in output("path")
    with pytest.raises(UsageError, match="'chek' is no key"):
        output("show")


def test_a_damaged_file_is_told(project: Path) -> None:
    """Neither command guesses."""
    (project / "placement.toml").write_bytes(b"\xff")
    for command in ("show", "path"):
        with pytest.raises(UnreadableInput, match=r"^placement.toml:1: is not UTF-8"):
            output(command)


def test_a_working_directory_that_is_gone_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be found from there."""
    gone = project / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(UsageError, match="the working directory cannot be read"):
        output("show")
    monkeypatch.chdir(project)
