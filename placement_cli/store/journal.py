"""The journal of a run: one JSON object a line, appended and flushed to disk as soon as a thing is finished.

It is what `--resume` goes on from. A last line that a killed process left torn is dropped when the file is opened
again; damage anywhere else is an error, never a guess.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from placement_cli.errors import UnreadableInput, UsageError

JOURNAL_SCHEMA = "placement.journal"
JOURNAL_MAJOR = 1
"""Major version of the journal's lines; a reader refuses a newer one."""


class Journal:
    """An append-only file of records, held by one process at a time."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self._file = file

    @classmethod
    def create(cls, path: Path, header: Mapping[str, Any]) -> Journal:
        """Start a journal with `header` as its first record.

        Raises UsageError when the file exists or cannot be written.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("xb")
        except OSError as error:
            if isinstance(error, FileExistsError) and path.parent.is_dir():
                raise UsageError(f"{path} exists already; results are never overwritten.") from None
            raise UsageError(f"{path}: cannot be written ({error.strerror}).") from None
        journal = cls(path, file)
        journal._lock()
        journal.append({"kind": "header", "schema": JOURNAL_SCHEMA, "major": JOURNAL_MAJOR, **header})
        return journal

    @classmethod
    def reopen(cls, path: Path) -> tuple[Journal, list[dict[str, Any]]]:
        """Open a journal to go on with it; return it with the records it holds, a torn end cut off.

        Raises UnreadableInput when it cannot be opened or read, UsageError while another process writes it.
        """
        try:
            file = path.open("r+b")
        except OSError as error:
            raise UnreadableInput(f"{path}: cannot be opened ({error.strerror}).") from None
        journal = cls(path, file)
        journal._lock()
        try:
            records, whole = parse_records(path, file.read())
        except UnreadableInput:
            journal.close()
            raise
        file.seek(whole)
        file.truncate()
        return journal, records

    def append(self, record: Mapping[str, Any]) -> None:
        """Write one record; when this returns it survives the death of the process and of the machine.

        Raises UsageError when it cannot be written, for instance because the disk is full.
        """
        line = json.dumps(record, allow_nan=False, separators=(",", ":"))
        try:
            self._file.write(line.encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise UsageError(
                f"{self.path}: cannot be written ({error.strerror}). What it holds is kept; --resume goes on from it."
            ) from None

    def close(self) -> None:
        """Let go of the file."""
        # All that was appended is on disk; what an append that failed left behind is torn anyway.
        with suppress(OSError):
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise UsageError(f"{self.path} is being written by another placement; wait for it or stop it.") from None
        except OSError as error:
            self.close()
            raise UsageError(f"{self.path}: cannot be locked ({error.strerror}). Keep runs on a local disk.") from None


def read_journal(path: Path) -> list[dict[str, Any]]:
    """Return the records of a journal without going on with it."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UnreadableInput(f"{path}: cannot be read ({error.strerror}).") from None
    return parse_records(path, content)[0]


def is_journal(path: Path) -> bool:
    """Tell whether `path` begins with the header of a journal, of whatever version."""
    try:
        with path.open("rb") as file:
            line = file.readline()
        header = json.loads(line)
    except (OSError, ValueError, RecursionError):
        return False
    return line.endswith(b"\n") and isinstance(header, dict) and header.get("schema") == JOURNAL_SCHEMA


def parse_records(path: Path, content: bytes) -> tuple[list[dict[str, Any]], int]:
    """Return the records in `content` and the number of bytes they take up; a torn last line is left out.

    Raises UnreadableInput for a damaged line, a file that is no journal, or one of a newer major version.
    """
    records: list[dict[str, Any]] = []
    *lines, torn = content.split(b"\n")
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise UnreadableInput(f"{path}:{number}: this line of the journal is damaged.") from None
        if not isinstance(record, dict) or "kind" not in record:
            raise UnreadableInput(f"{path}:{number}: this is no record of a placement journal.")
        records.append(record)
    _check_header(path, records)
    return records, len(content) - len(torn)


def _check_header(path: Path, records: list[dict[str, Any]]) -> None:
    if not records or records[0].get("schema") != JOURNAL_SCHEMA:
        raise UnreadableInput(f"{path}: this is no placement journal.")
    major = records[0].get("major")
    if major == JOURNAL_MAJOR:
        return
    if isinstance(major, int) and major > JOURNAL_MAJOR:
        raise UnreadableInput(
            f"{path}: written by a newer placement (journal version {major}, this one reads {JOURNAL_MAJOR}). Update."
        )
    raise UnreadableInput(f"{path}: {major!r} is no version of a journal.")
