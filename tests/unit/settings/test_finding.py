"""Which files are looked for, and what happens with those that cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from placement_cli.errors import UnreadableInput, UsageError
from placement_cli.settings.finding import find_settings, project_folders, user_folder
from placement_cli.settings.reading import MAX_BYTES

TABLE = "[tool.placement]\n"


def found(project, cwd: str = ".") -> list[tuple[str, str]]:
    """Return which files were looked for below the project's folder, and what there was."""
    looked = find_settings(project.folder / cwd, project.user).looked
    return [(each.path.relative_to(project.folder.parent).as_posix(), each.outcome) for each in looked]


def test_the_walk_ends_at_the_repository_or_the_root(project) -> None:
    """The folder with `.git` (a file in a work tree) is the last one; without one, the root of the file system is."""
    deep = project.folder / "a" / "b"
    assert list(project_folders(deep)) == [deep, deep.parent, project.folder]
    (deep.parent).mkdir()
    (deep.parent / ".git").write_text("gitdir: elsewhere", encoding="utf-8")
    assert list(project_folders(deep)) == [deep, deep.parent]
    assert list(project_folders(Path("/no/such"))) == [Path("/no/such"), Path("/no"), Path("/")]


def test_the_first_file_on_the_way_up_is_the_project(project) -> None:
    """A pyproject.toml counts when it has the table; what is further up is not looked at."""
    project.write("placement.toml", "")
    project.write("a/pyproject.toml", TABLE)
    project.write("a/b/pyproject.toml", "[project]\nname = 'placement'\n")
    assert found(project, "a/b") == [
        ("user/config.toml", "not there"),
        ("project/a/b/placement.toml", "not there"),
        ("project/a/b/pyproject.toml", "has no [tool.placement]"),
        ("project/a/placement.toml", "not there"),
        ("project/a/pyproject.toml", "used"),
    ]


def test_a_pyproject_without_the_table_goes_with_a_placement_toml(project) -> None:
    """Most projects have the one anyway."""
    project.write("placement.toml", "")
    project.write("pyproject.toml", "[project]\nname = 'x'\n")
    assert found(project)[1:] == [
        ("project/placement.toml", "used"),
        ("project/pyproject.toml", "has no [tool.placement]"),
    ]


def test_two_files_with_settings_in_one_folder_are_a_mistake(project) -> None:
    """Which one counts would have to be remembered."""
    project.write("placement.toml", "")
    project.write("pyproject.toml", TABLE)
    with pytest.raises(
        UsageError, match=r"^placement.toml and pyproject.toml \(\[tool.placement\]\) both hold settings"
    ):
        project.load()


def test_other_peoples_mistakes_in_pyproject_are_theirs(project) -> None:
    """A file that does not mention this program is not even parsed."""
    project.write("pyproject.toml", "not = = toml")
    assert found(project)[-1] == ("project/pyproject.toml", "has no [tool.placement]")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x00\x01\x7fELF placement", r":1:1: is not TOML: "),
        (b"a = 1\nb = '\xff'", r":2: is not UTF-8 text\.$"),
        (b"a = 1\n\nb = = 2", r":3:5: is not TOML: Invalid value\.$"),
        (b"a = [", r": is not TOML: .*\.$"),
        (b"a = " + b"9" * 10_000, r": is not TOML: .*digits"),
        (b"#" * (MAX_BYTES + 1), r": is larger than 1024 KiB"),
        (b"a = " + b"[" * 5000, r":1: nested deeper than 32 levels\.$"),
    ],
    ids=["binary", "latin-1", "syntax", "cut", "number", "huge", "nested"],
)
def test_a_damaged_file_is_one_error(project, content: bytes, message: str) -> None:
    """With the file, and the line where there is one; nothing falls back to defaults."""
    (project.folder / "placement.toml").write_bytes(content)
    with pytest.raises(UnreadableInput, match=r"^placement\.toml" + message):
        project.load()


def test_what_is_no_file_is_one_error(project) -> None:
    """A folder, a link to itself, a link to nothing and a pipe that nobody writes to."""
    path = project.folder / "placement.toml"
    for make in (Path.mkdir, lambda at: at.symlink_to(at), lambda at: at.symlink_to("gone"), os.mkfifo):
        make(path)
        with pytest.raises(UnreadableInput, match=r"^placement\.toml: cannot be read \("):
            project.load()
        path.rmdir() if path.is_dir() else path.unlink()


def test_a_byte_order_mark_and_windows_lines_are_fine(project) -> None:
    """Editors write them."""
    (project.folder / "placement.toml").write_bytes(b"\xef\xbb\xbf[check]\r\nquick = true\r\n")
    quick = project.load().check.quick
    assert (quick.value, quick.origin) == (True, "placement.toml:2")


def test_the_folder_of_the_user_is_that_of_the_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As other programs have it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert user_folder().name == "placement"
