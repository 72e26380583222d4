"""JSON from outside: one clear error with the place, never more than is sound."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from placement_cli.errors import UnreadableInput
from placement_cli.store import json_input
from placement_cli.store.json_input import read_json


def written(tmp_path: Path, content: bytes | str) -> Path:
    """Write a file to read."""
    path = tmp_path / "some.json"
    path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("value", [{"a": [1, 2.5, None, True, "µs"]}, [], "text", 0, 10**30, {"a": {}}])
def test_json_is_read(tmp_path: Path, value: object) -> None:
    """Any value, plain or packed with gzip."""
    content = json.dumps(value).encode()
    assert read_json(written(tmp_path, content)) == value
    assert read_json(written(tmp_path, gzip.compress(content))) == value


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"cases": [{"x": NaN}]}', r"cases\[0\]\.x: NaN and infinite numbers are not read"),
        ("[1, -Infinity]", r"\[1\]: NaN and infinite"),
        ("[1e999]", r"\[0\]: NaN and infinite"),
        ("1e999", "some.json: NaN and infinite"),
        ('{"a": 1e101}', "a: the number is absurdly large"),
        (f'{{"a": {"9" * 200}}}', "a: the number is absurdly large"),
        (f"[{'9' * 5000}]", "this is no JSON"),
        ('["\\ud800"]', r"\[0\]: the text holds half a character"),
        ('{"\\ud800": {"\\udfff": 1}}', "a key holds half a character"),
        ("[" * 66 + "]" * 66, "nested deeper than 64 levels"),
        ("[" * 100_000 + "]" * 100_000, "this is no JSON"),
        ('{"a": 1', "it ends in the middle"),
        ("", "it ends in the middle"),
        ("a,b\n1,2\n", r"this is no JSON \(Expecting value"),
        (b"\x93NUMPY\x01\x00", "this is no JSON"),
        (b"\x1f\x8b\x08\x00", "the packed file is torn or damaged"),
        (gzip.compress(b"[" + b"1," * 5000 + b"1]", mtime=0)[:-20], "the packed file is torn or damaged"),
    ],
)
def test_what_is_unsound_is_told(tmp_path: Path, content: bytes | str, message: str) -> None:
    """Numbers that are none, half characters, nesting without end, torn and foreign files."""
    with pytest.raises(UnreadableInput, match=message) as told:
        read_json(written(tmp_path, content))
    assert len(str(told.value)) < 500 + len(str(tmp_path))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_huge_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: type) -> None:
    """Also those that are small only while they are packed."""
    monkeypatch.setattr(json_input, "MOST_BYTES", 2**20)
    with pytest.raises(UnreadableInput, match="larger than the 1 MiB"):
        read_json(written(tmp_path, pack(b"[" + b" " * 2**20 + b"]")))


def test_a_journal_is_known(tmp_path: Path) -> None:
    """Its document is what is asked for."""
    header = {"kind": "header", "schema": "placement.journal", "major": 1}
    path = written(tmp_path, json.dumps(header) + "\n" + json.dumps({"kind": "block"}) + "\n")
    with pytest.raises(UnreadableInput, match="this is the journal of a run"):
        read_json(path)


def test_folders_and_odd_paths_cannot_be_read(tmp_path: Path) -> None:
    """A folder, a file that is not there, a name that no system takes."""
    for path in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(UnreadableInput, match="cannot be read"):
            read_json(path)
    with pytest.raises(UnreadableInput, match="this is no path"):
        read_json(Path("a\0b"))


def test_keys_that_stand_twice_do_no_harm(tmp_path: Path) -> None:
    """The last one counts."""
    assert read_json(written(tmp_path, '{"a": 1, "a": 2}')) == {"a": 2}
