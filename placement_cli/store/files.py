"""Reading and writing documents: written whole or not at all, read with one clear error."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from placement_cli.errors import UnreadableInput, UsageError
from placement_cli.store.json_input import JOURNAL_HINT, quoted, read_json
from placement_cli.store.run_document import RUN_SCHEMA, RUN_VERSION, RunDocument
from placement_cli.store.run_soundness import unsound

VERSION = re.compile(r"(?P<major>[0-9]{1,6})(\.[0-9]{1,6}){2}")
"""A version as documents carry it: three numbers; later minor ones add keys, which readers ignore."""
OTHER_DOCUMENTS = {
    "placement.profile": "it is a profile, which `placement fit-costs` writes: give it to --profile",
    "placement.plan": "it is a plan, which `placement plan` writes of one matrix",
    "placement.advice": "it is advice, which `placement advise` writes of one graph",
    "placement.journal": JOURNAL_HINT,
    "placement.selftest": "it is what `placement selftest` found of this tool",
    "placement.planner-trial": "it is what `placement selftest --planner` found of this tool",
    "placement.comparison": "it is a comparison: give the runs it names",
    "placement.trace": "it is what `placement trace` saw of a program",
    "placement.diagnosis": "it is what `placement diagnose` found",
    "placement.history": "it is a history: give the runs it names",
}
"""What the other documents of this program are, for who gives one where a run is read."""


def write_whole(path: Path, text: str) -> None:
    """Write `text` to `path` so that a reader sees the old file or the new one, never half of it.

    Raises UsageError when it cannot be written; the old file is then as it was.
    """
    write_whole_bytes(path, text.encode("utf-8"))


def write_whole_bytes(path: Path, content: bytes) -> None:
    """Write `content` to `path` as `write_whole` writes text."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _unwritable(path, error) from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def check_writable(folder: Path) -> None:
    """Refuse a folder that nothing can be written to; where it is not there yet, what it would be made in is asked.

    Nothing is left behind. Raises UsageError.
    """
    there = next((each for each in (folder, *folder.absolute().parents) if each.exists()), folder)
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        raise _unwritable(folder, error) from None


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path}: cannot be written ({error.strerror}).")


def load_run(path: Path) -> RunDocument:
    """Read the document of a run; raises UnreadableInput when it is damaged, foreign or of a newer major version.

    What is read can be relied on: its numbers are finite, its parts refer to one another. The file may be packed with
    gzip.
    """
    return run_from(path, read_json(path))


def run_from(path: Path, data: Any) -> RunDocument:
    """Return the run that `data` holds, the JSON of `path`; raises UnreadableInput as `load_run` does."""
    _check_version(path, data)
    try:
        document = RunDocument.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UnreadableInput(f"{path}: {quoted(where)}: {quoted(first['msg'])}.") from None
    problem = unsound(document)
    if problem is not None:
        raise UnreadableInput(f"{path}: {quoted(problem)}.")
    return document


def _check_version(path: Path, data: Any) -> None:
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != RUN_SCHEMA:
        hint = OTHER_DOCUMENTS.get(schema, "") if isinstance(schema, str) else ""
        raise UnreadableInput(f"{path}: this is no document of a placement run{hint and f'; {hint}'}.")
    version = str(data.get("schema_version", ""))
    found = VERSION.fullmatch(version)
    ours = int(RUN_VERSION.partition(".")[0])
    if found is None or int(found["major"]) < ours:
        raise UnreadableInput(f"{path}: schema_version {version[:40]!r} is no version that was ever written.")
    if int(found["major"]) > ours:
        raise UnreadableInput(f"{path}: schema {version} is newer than this placement reads ({RUN_VERSION}). Update.")
