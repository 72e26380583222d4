"""Whether there is a program to run, and what runs it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from placement_cli.diagnose.program import interpreter
from placement_cli.diagnose.program.interpreter import check_module, check_script, find_interpreter
from placement_cli.errors import UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with one script in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("trian.py", r"^trian\.py: there is no such script\. Did you mean 'train\.py'\?$"),
        ("nowhere/train.py", r"there is no such script\. No script is in .*nowhere\.$"),
        ("python3", r"there is no such script\. Give your script alone"),
        ("", r"^The name of the script is empty\.$"),
        ("-", r"there is no such script\. What is typed in cannot be traced: write it to a file\.$"),
        (".", r"^\.: is a folder, without __main__\.py\. Which program in it\? Known: train\.py\.$"),
        ("/dev/null", r"is no file that holds a program"),
        ("[red]\x1b[0m", r"there is no such script\. Known: train\.py\."),
    ],
)
def test_what_is_no_script_is_refused_with_what_may_be_meant(name: str, told: str) -> None:
    """Before anything starts, with the nearest name."""
    with pytest.raises(UsageError, match=told):
        check_script(name)


def test_what_python_runs_is_accepted(folder: Path) -> None:
    """A file, whatever it is called, and a folder that is a program."""
    (folder / "tool").write_text("", encoding="utf-8")
    (folder / "program").mkdir()
    (folder / "program" / "__main__.py").write_text("", encoding="utf-8")
    for name in ("train.py", "tool", "program"):
        check_script(name)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("timiet", r"^-m timiet: there is no module 'timiet' here\. Did you mean 'timeit'\?$"),
        ("trian", r"Did you mean 'train'\?$"),
        ("train.py", None),
        ("xxyyzz.part", r"there is no module 'xxyyzz' here\. Modules of this folder and installed ones are found\."),
        ("tools/run.py", r"It is a script: leave -m out\."),
    ],
)
def test_a_module_is_looked_for_where_it_would_be_found(folder: Path, name: str, told: str | None) -> None:
    """In this folder and among what is installed, without running any of it; what is inside of one Python tells."""
    (folder / "tools").mkdir()
    (folder / "tools" / "run.py").write_text("", encoding="utf-8")
    if told is None:
        check_module(sys.executable, name)
        return
    with pytest.raises(UsageError, match=told):
        check_module(sys.executable, name)


def test_the_interpreter_is_this_one_unless_another_is_named(folder: Path) -> None:
    """A link to one stays a link: that is what a virtual environment is known by."""
    link = folder / "mine"
    link.symlink_to(sys.executable)
    assert find_interpreter(None) == sys.executable
    assert find_interpreter("./mine") == str(link)


def test_what_is_no_interpreter_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is not there, a program that is no Python, one that babbles, and a Python that is too old."""
    babbling = folder / "babbling"
    babbling.write_text("#!/bin/sh\necho '[1, 2]'\n", encoding="utf-8")
    babbling.chmod(0o755)
    with pytest.raises(UsageError, match="--python nothing-like-it: there is no such program"):
        find_interpreter("nothing-like-it")
    for name in ("false", "./babbling"):
        with pytest.raises(UsageError, match="does not answer as a Python"):
            find_interpreter(name)
    monkeypatch.setattr(interpreter, "LEAST_VERSION", (9, 0))
    with pytest.raises(UsageError, match=r"is Python 3\.\d+; from 9\.0 on"):
        find_interpreter(sys.executable)
