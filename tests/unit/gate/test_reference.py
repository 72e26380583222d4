"""What `--against` names, whoever wrote it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement_cli.errors import UsageError
from placement_cli.gate.reference import PACKAGE, Kind, Reference, read_reference

COMMIT = "1a2b3c4d5e6f" + 28 * "0"


def nothing(_: str) -> None:
    """Know no revision."""


def known(*names: str) -> Callable[[str], str | None]:
    """Return what knows these revisions."""
    return lambda name: COMMIT if name in names else None


def made(path: Path, text: str = "") -> Path:
    """Make a file with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_revision_stands_for_its_commit(tmp_path: Path) -> None:
    """The text is kept as it was given, but for blanks around it."""
    assert read_reference(" origin/main ", tmp_path, known("origin/main")) == Reference(
        Kind.REVISION, "origin/main", COMMIT
    )


@pytest.mark.parametrize(
    "text", ["mlx==0.31.1", "ezmsg-sigproc<3", "mlx[cpu]>=0.30,<0.31", "pkg @ file:///somewhere/pkg.whl"]
)
def test_a_requirement_says_a_version_or_a_place(text: str, tmp_path: Path) -> None:
    """Whatever pip understands as one, if it says more than a name."""
    assert read_reference(text, tmp_path, nothing) == Reference(Kind.REQUIREMENT, text, text)


@pytest.mark.parametrize(
    ("inside", "given", "kind", "target"),
    [
        (f"other/{PACKAGE}/__init__.py", "other", Kind.COPY, "other"),
        ("other/pyproject.toml", "./other", Kind.PROJECT, "other"),
        ("other/setup.py", "other", Kind.PROJECT, "other"),
        ("x-1.0-py3-none-any.whl", "x-1.0-py3-none-any.whl", Kind.PROJECT, "x-1.0-py3-none-any.whl"),
        ("env/bin/python", "env", Kind.ENVIRONMENT, "env/bin/python"),
        ("env/Scripts/python.exe", "env", Kind.ENVIRONMENT, "env/Scripts/python.exe"),
        ("env/bin/python3.12", "env/bin/python3", None, ""),
        ("env/bin/python3", "env/bin/python3", Kind.ENVIRONMENT, "env/bin/python3"),
    ],
)
def test_a_path_is_what_lies_there(inside: str, given: str, kind: Kind | None, target: str, tmp_path: Path) -> None:
    """A copy of this package, a project, a wheel, an environment or its interpreter; seen from the folder."""
    made(tmp_path / inside)
    if kind is None:
        with pytest.raises(UsageError, match="no path"):
            read_reference(given, tmp_path, nothing)
        return
    found = read_reference(given, tmp_path, nothing)
    assert (found.kind, found.given, Path(found.target)) == (kind, given, tmp_path / target)


def test_a_home_may_be_written_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a shell would have it where it did not see the tilde."""
    monkeypatch.setenv("HOME", str(tmp_path))
    made(tmp_path / "other" / "pyproject.toml")
    assert Path(read_reference("~/other", Path("/"), nothing).target) == tmp_path / "other"


def test_what_is_a_revision_and_a_path_is_asked_about(tmp_path: Path) -> None:
    """Nobody guesses; both ways to say what is meant are told, and the one for the path works."""
    made(tmp_path / "main" / "pyproject.toml")
    with pytest.raises(UsageError, match=r"Write \./main for the path, or the commit 1a2b3c4d5e6f"):
        read_reference("main", tmp_path, known("main"))
    assert read_reference("./main", tmp_path, known("main", "./main")).kind is Kind.PROJECT


def test_a_path_that_can_be_nothing_of_the_kind_is_told(tmp_path: Path) -> None:
    """What would have been understood is named."""
    made(tmp_path / "notes.txt")
    with pytest.raises(UsageError, match=r"notes\.txt'?: is there, but is no project"):
        read_reference("notes.txt", tmp_path, nothing)


HOSTILE = (
    "",
    "  ",
    "--upload-pack=x",
    "-e .",
    "a\0b",
    "main\n--upload-pack=x",
    "mlx==0.31.1\n--index-url=x",
    "mlx; rm -rf",
    "mlx==0.31.1 && rm",
    "$(rm -rf .)",
    "~nobody-of-this-name/x",
    "x" * 100_000,
    "../" * 3000,
    "\udcff",
    "\u202emain",
    "mlx",
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_one_clear_error(text: str, tmp_path: Path) -> None:
    """No option, no second line, no control code and no traceback comes of it, and what is told stays short."""
    with pytest.raises(UsageError) as caught:
        read_reference(text, tmp_path, nothing)
    told = str(caught.value)
    assert told.startswith("--against")
    assert told.isprintable()
    assert len(told) < 400


def test_a_folder_one_may_not_look_into_is_no_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told as what names nothing here."""

    def denied(_: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "exists", denied)
    with pytest.raises(UsageError, match="no revision known here"):
        read_reference("closed/env", tmp_path, nothing)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60))
def test_any_text_is_a_reference_or_an_error(tmp_path: Path, text: str) -> None:
    """Nothing else comes of it; and no target is an option of pip or git."""
    try:
        found = read_reference(text, tmp_path, nothing)
    except UsageError:
        return
    assert not found.target.startswith("-")


def test_credentials_are_not_told(tmp_path: Path) -> None:
    """A document is passed around; what pip is asked for keeps them."""
    given = "pkg @ git+https://user:secret@example.org/pkg"
    reference = read_reference(given, tmp_path, lambda _: None)
    assert "secret" not in reference.given
    assert reference.target == given


def test_a_copy_with_an_environment_in_it_is_a_copy(tmp_path: Path) -> None:
    """A checkout may hold the environment that it is developed in."""
    for name in ("placement_cli/__init__.py", "bin/python"):
        (tmp_path / "other" / name).parent.mkdir(parents=True)
        (tmp_path / "other" / name).write_text("")
    assert read_reference("./other", tmp_path, lambda _: None).kind is Kind.COPY


def test_an_interpreter_may_name_its_version(tmp_path: Path) -> None:
    """As those of environments do."""
    (tmp_path / "python3.12").write_text("")
    assert read_reference("./python3.12", tmp_path, lambda _: None).kind is Kind.ENVIRONMENT


def test_a_path_that_cannot_be_searched_is_refused(tmp_path: Path) -> None:
    """It would be split in two, and something else measured."""
    (tmp_path / f"a{os.pathsep}b").mkdir()
    with pytest.raises(UsageError, match="cannot be searched for modules"):
        read_reference(f"./a{os.pathsep}b", tmp_path, lambda _: None)
