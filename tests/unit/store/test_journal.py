"""The journal survives everything but damage, and says where the damage is."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.errors import UnreadableInput, UsageError
from placement_cli.store.journal import (
    JOURNAL_MAJOR,
    JOURNAL_SCHEMA,
    Journal,
    is_journal,
    parse_records,
    read_journal,
)

HEADER = {"kind": "header", "schema": JOURNAL_SCHEMA, "major": JOURNAL_MAJOR, "run": 1}
PATH = Path("run.jsonl")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
RECORDS = st.lists(
    st.dictionaries(st.text(), VALUES, max_size=3).map(lambda record: {**record, "kind": "block"}), max_size=4
)


def lines_of(*records: Any) -> bytes:
    """Return the content of a journal with these records."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a journal may be."""
    return tmp_path / "results" / "run.jsonl"


def written(path: Path, *records: dict[str, Any]) -> Path:
    """Write a journal with a header and these records."""
    with Journal.create(path, {"run": 1}) as journal:
        for record in records:
            journal.append(record)
    return path


@given(RECORDS)
@settings(deadline=None)
def test_what_was_appended_is_read_back(records: list[dict[str, Any]]) -> None:
    """Any records of plain values come back, line breaks and other controls in their text included."""
    file = io.BytesIO(lines_of(HEADER, *records))
    assert parse_records(PATH, file.getvalue()) == ([HEADER, *records], len(file.getvalue()))


@given(RECORDS)
@settings(deadline=None)
def test_a_torn_end_costs_only_the_torn_record(records: list[dict[str, Any]]) -> None:
    """Cut at any byte after the header, the journal gives every record that is whole, and how far they reach."""
    content = lines_of(HEADER, *records)
    for size in range(len(lines_of(HEADER)), len(content) + 1):
        kept, whole = parse_records(PATH, content[:size])
        count = content[:size].count(b"\n")
        assert kept == [HEADER, *records][:count]
        assert whole == len(lines_of(HEADER, *records[: count - 1]))


def test_a_journal_torn_anywhere_can_be_gone_on_with(path: Path) -> None:
    """Cut at every byte in turn: reopened and appended to, it holds the whole records and the new one."""
    content = written(path, {"kind": "block", "index": 0}, {"kind": "block", "text": "ä\n"}).read_bytes()
    header = content.index(b"\n") + 1
    for size in range(header, len(content) + 1):
        path.write_bytes(content[:size])
        journal, records = Journal.reopen(path)
        with journal:
            journal.append({"kind": "new"})
        assert len(records) == content[:size].count(b"\n")
        assert read_journal(path) == [*records, {"kind": "new"}]
        whole = content[: content.rfind(b"\n", 0, size) + 1]
        assert path.read_bytes() == whole + b'{"kind":"new"}\n'


def test_a_journal_torn_in_its_header_holds_nothing(path: Path) -> None:
    """Cut at any byte of its first line it is no journal: there is nothing to go on with."""
    content = written(path).read_bytes()
    for size in range(len(content)):
        path.write_bytes(content[:size])
        assert not is_journal(path)
        with pytest.raises(UnreadableInput, match="this is no placement journal"):
            Journal.reopen(path)


def test_records_are_on_disk_when_append_returns(path: Path) -> None:
    """Another reader sees each record at once, while the journal is still open."""
    with Journal.create(path, {"run": 1}) as journal:
        journal.append({"kind": "block"})
        assert read_journal(path) == [HEADER, {"kind": "block"}]


def test_every_record_is_forced_to_the_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole record has left the process when the system is asked to write it through."""
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(path.stat().st_size))
    header = written(path).stat().st_size
    journal, _ = Journal.reopen(path)
    with journal:
        journal.append({"kind": "block"})
        assert synced == [header, path.stat().st_size]


def test_folders_are_made(path: Path) -> None:
    """A first run into a new folder needs no preparation."""
    assert not path.parent.exists()
    assert is_journal(written(path))


def test_a_journal_is_never_overwritten(path: Path) -> None:
    """Starting a second one at the same place is refused, and the first stays as it was."""
    content = written(path, {"kind": "block"}).read_bytes()
    with pytest.raises(UsageError, match="exists already; results are never overwritten"):
        Journal.create(path, {"run": 2})
    assert path.read_bytes() == content


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file in the way of the folder is a usage error with the path."""
    (tmp_path / "results").write_text("a file")
    with pytest.raises(UsageError, match=r"run\.jsonl: cannot be written"):
        Journal.create(tmp_path / "results" / "run.jsonl", {})


@pytest.mark.parametrize("damage", [b"{", b"", b'{"kind": ', b"\xff\xfe", b"\x00" * 8, b"[" * 100_000])
def test_damage_in_the_middle_is_told_with_its_line(path: Path, damage: bytes) -> None:
    """A line that is whole but unreadable is never skipped, wherever whole lines follow it."""
    path.parent.mkdir()
    path.write_bytes(lines_of(HEADER, {"kind": "block"}) + damage + b"\n" + lines_of({"kind": "block"}))
    for read in (read_journal, Journal.reopen):
        with pytest.raises(UnreadableInput, match=r"run\.jsonl:3: this line of the journal is damaged"):
            read(path)


@given(st.binary(max_size=40))
@settings(deadline=None)
def test_any_damage_is_an_error_or_harmless(damage: bytes) -> None:
    """Whatever bytes stand in the middle, the journal is refused as unreadable or every line is a record."""
    content = lines_of(HEADER) + damage + b"\n" + lines_of({"kind": "block"})
    try:
        records, whole = parse_records(PATH, content)
    except UnreadableInput:
        return
    assert all("kind" in record for record in records)
    assert whole == len(content)


@pytest.mark.parametrize("line", [b"[]", b"5", b'{"no": "kind"}'])
def test_lines_that_are_no_records_are_told(line: bytes) -> None:
    """JSON that is no record is refused with its line."""
    with pytest.raises(UnreadableInput, match=r"run\.jsonl:2: this is no record"):
        parse_records(PATH, lines_of(HEADER) + line + b"\n")


@pytest.mark.parametrize("content", [b"", b"\n", b'{"kind": "x"}\n', b'{"kind": "header", "schema": "other"}\n'])
def test_a_foreign_file_is_told(content: bytes) -> None:
    """A file without the header of a journal is refused."""
    with pytest.raises(UnreadableInput):
        parse_records(PATH, content)


def test_a_newer_major_is_refused() -> None:
    """A journal of a later version is not read at a guess."""
    with pytest.raises(UnreadableInput, match=rf"newer placement \(journal version {JOURNAL_MAJOR + 1}"):
        parse_records(PATH, lines_of({**HEADER, "major": JOURNAL_MAJOR + 1}))


@pytest.mark.parametrize("major", [None, "1", 0, 1.5, []])
def test_a_version_that_never_was_is_refused(major: Any) -> None:
    """A header without a proper version is damage, not an older journal."""
    with pytest.raises(UnreadableInput, match="is no version of a journal"):
        parse_records(PATH, lines_of({**HEADER, "major": major}))


def test_unknown_keys_of_a_record_are_kept() -> None:
    """A later minor version may add some."""
    assert parse_records(PATH, lines_of({**HEADER, "new": 1}))[0][0]["new"] == 1


def test_a_missing_journal_is_told(path: Path) -> None:
    """Neither reading nor going on makes one up."""
    with pytest.raises(UnreadableInput, match="cannot be read"):
        read_journal(path)
    with pytest.raises(UnreadableInput, match="cannot be opened"):
        Journal.reopen(path)
    assert not path.exists()


def test_a_journal_in_use_is_locked(path: Path) -> None:
    """While one journal is open no second can be, also after one that was reopened; closing frees it."""
    with Journal.create(path, {}), pytest.raises(UsageError, match="is being written by another placement"):
        Journal.reopen(path)
    journal, _ = Journal.reopen(path)
    with journal, pytest.raises(UsageError, match="is being written by another placement"):
        Journal.reopen(path)
    Journal.reopen(path)[0].close()


def test_the_lock_holds_against_another_process(path: Path) -> None:
    """It is the file that is locked, not this program's memory of it."""
    code = (
        "import sys, pathlib, placement_cli.store.journal as j\n"
        "try: j.Journal.reopen(pathlib.Path(sys.argv[1]))\n"
        "except j.UsageError: sys.exit(2)\n"
    )
    with Journal.create(path, {}):
        assert subprocess.run([sys.executable, "-c", code, str(path)]).returncode == 2
    assert subprocess.run([sys.executable, "-c", code, str(path)]).returncode == 0


def test_a_damaged_journal_is_not_left_locked(path: Path) -> None:
    """After it was refused it can be opened again, with the same answer."""
    written(path).write_bytes(lines_of(HEADER) + b"damage\n")
    for _ in range(2):
        with pytest.raises(UnreadableInput, match="damaged"):
            Journal.reopen(path)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_cannot_hold_are_refused(path: Path, value: float) -> None:
    """Nothing of such a record is written."""
    with Journal.create(path, {"run": 1}) as journal:
        with pytest.raises(ValueError, match="JSON compliant"):
            journal.append({"kind": "block", "value": value})
        journal.append({"kind": "block"})
    assert read_journal(path) == [HEADER, {"kind": "block"}]


class FullDisk(io.BytesIO):
    """A file on a disk without room: what is written stays in memory and never gets out."""

    def write(self, _: Any) -> int:
        """Refuse."""
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        """Refuse once more, as a buffered file does."""
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_told(path: Path) -> None:
    """The error is one for people, names the file, and closing does not hide it behind another."""
    with pytest.raises(UsageError, match=r"run\.jsonl: cannot be written \(No space left on device\)"):  # noqa: SIM117 - the error must pass through the journal's own exit
        with Journal(path, FullDisk()) as journal:
            journal.append({"kind": "block"})


def test_a_disk_without_locks_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is not mistaken for another placement at work."""

    def no_locks(*_: Any) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("placement_cli.store.journal.fcntl.flock", no_locks)
    with pytest.raises(UsageError, match="cannot be locked"):
        Journal.create(path, {})


@pytest.mark.parametrize("content", [b"", b"{}\n", b"[1]\n", b"\xff\n", b"not JSON\n", b'"text"\n'])
def test_other_files_are_no_journals(path: Path, content: bytes) -> None:
    """Whatever they hold, and whether or not they exist."""
    path.parent.mkdir()
    assert not is_journal(path)
    path.write_bytes(content)
    assert not is_journal(path)
