"""Documents are written whole or not at all, and read with one clear error."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from placement_cli.errors import UnreadableInput, UsageError
from placement_cli.store.files import check_writable, load_run, write_whole
from placement_cli.store.run_document import RunDocument

MakeDocument = Callable[..., RunDocument]


def test_text_is_written_and_folders_are_made(tmp_path: Path) -> None:
    """The file holds exactly the text, in UTF-8, and nothing else is left in the folder."""
    path = tmp_path / "a" / "b" / "run.json"
    write_whole(path, "größer\n")
    assert path.read_bytes() == "größer\n".encode()
    assert list(path.parent.iterdir()) == [path]


def test_an_old_file_is_replaced(tmp_path: Path) -> None:
    """A second document takes the place of the first, which may be longer."""
    path = tmp_path / "run.json"
    write_whole(path, "long" * 1000)
    write_whole(path, "short")
    assert path.read_text() == "short"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """Whenever writing fails, the old file is as it was and no half of a new one lies about."""
    path = tmp_path / "run.json"
    write_whole(path, "old")

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*((os, "fsync", fail) if step == "fsync" else (Path, "replace", fail)))
    with pytest.raises(UsageError, match=r"run\.json: cannot be written \(No space left on device\)"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of writing passes through, and the folder is as before."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "run.json", "new")
    assert list(tmp_path.iterdir()) == []


def test_unwritable_paths_are_usage_errors(tmp_path: Path) -> None:
    """A file where a folder should be, and a folder where the file should be."""
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "file" / "run.json", tmp_path / "folder"):
        with pytest.raises(UsageError, match=f"{path.name}: cannot be written"):
            write_whole(path, "text")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_document_is_read_back(tmp_path: Path, make_document: MakeDocument) -> None:
    """What was written is what is read."""
    path = tmp_path / "run.json"
    document = make_document()
    write_whole(path, document.to_json())
    assert load_run(path) == document


def test_unknown_keys_are_ignored(tmp_path: Path, make_document: MakeDocument) -> None:
    """A later minor version may add keys anywhere."""
    data = json.loads(make_document().to_json())
    data["schema_version"] = "1.7.3"
    data["new"] = data["cases"][0]["new"] = {"x": 1}
    (tmp_path / "run.json").write_text(json.dumps(data))
    assert load_run(tmp_path / "run.json").cases == make_document().cases


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "placement.profile"}, "this is no document of a placement run"),
        ({"schema": None}, "this is no document of a placement run"),
        ({"schema_version": "2.0.0"}, r"schema 2\.0\.0 is newer than this placement reads \(1\.1\.0\)"),
        ({"schema_version": "10.0.0"}, "is newer than"),
        ({"schema_version": "0.9.0"}, "'0.9.0' is no version"),
        ({"schema_version": "²"}, "is no version"),
        ({"schema_version": 1}, "is no version"),
        ({"schema_version": "9" * 5000}, "is no version"),
        ({"cases": 5}, r"cases: Input should be a valid list"),
        ({"run": {"id": 5}}, r"run\.id: Input should be a valid string"),
        ({"tool": {"name": "placement"}}, r"tool\.version: Field required"),
    ],
)
def test_documents_that_cannot_be_used_are_told(
    tmp_path: Path, make_document: MakeDocument, change: dict[str, Any], message: str
) -> None:
    """The error names the file, the place in it, and what is wrong."""
    data = json.loads(make_document().to_json()) | change
    (tmp_path / "run.json").write_text(json.dumps(data))
    with pytest.raises(UnreadableInput, match=rf"run\.json: .*{message}"):
        load_run(tmp_path / "run.json")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[1, 2", b"[" * 200_000])
def test_what_is_no_json_is_told(tmp_path: Path, content: bytes) -> None:
    """Torn, binary or nested without end."""
    (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(UnreadableInput, match=r"run\.json: this is no JSON"):
        load_run(tmp_path / "run.json")


@pytest.mark.parametrize("content", ["[]", "5", "null", '"text"', "{}"])
def test_json_of_something_else_is_told(tmp_path: Path, content: str) -> None:
    """Any other JSON is no run."""
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(UnreadableInput, match="this is no document of a placement run"):
        load_run(tmp_path / "run.json")


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    """A missing file and a folder."""
    for path in (tmp_path / "missing.json", tmp_path):
        with pytest.raises(UnreadableInput, match="cannot be read"):
            load_run(path)


def test_a_torn_document_is_never_read(tmp_path: Path, make_document: MakeDocument) -> None:
    """Cut at any byte, a document is refused as unreadable."""
    content = make_document().to_json().encode()
    path = tmp_path / "run.json"
    for size in range(0, len(content), 7):
        path.write_bytes(content[:size])
        with pytest.raises(UnreadableInput):
            load_run(path)


def test_a_folder_is_asked_before_the_work_and_left_as_it_was(tmp_path: Path) -> None:
    """Five minutes of measuring end in no file that cannot be written; nothing is made for the question."""
    check_writable(tmp_path / "new" / "deeper")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        check_writable(tmp_path / "file" / "below")
