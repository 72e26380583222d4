"""Reading and writing documents: written whole or not at all, read with one clear error."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from placement_cli.errors import UnreadableInput, UsageError
from placement_cli.store.run_document import RUN_SCHEMA, RUN_VERSION, RunDocument

VERSION = re.compile(r"(?P<major>[0-9]{1,6})(\.[0-9]{1,6}){2}")
"""A version as documents carry it: three numbers; later minor ones add keys, which readers ignore."""


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


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path}: cannot be written ({error.strerror}).")


def load_run(path: Path) -> RunDocument:
    """Read the document of a run; raises UnreadableInput when it is damaged, foreign or of a newer major version."""
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise UnreadableInput(f"{path}: cannot be read ({error.strerror}).") from None
    except (ValueError, RecursionError) as error:
        raise UnreadableInput(f"{path}: this is no JSON ({error}).") from None
    _check_version(path, data)
    try:
        return RunDocument.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UnreadableInput(f"{path}: {where}: {first['msg']}.") from None


def _check_version(path: Path, data: Any) -> None:
    if not isinstance(data, dict) or data.get("schema") != RUN_SCHEMA:
        raise UnreadableInput(f"{path}: this is no document of a placement run.")
    version = str(data.get("schema_version", ""))
    found = VERSION.fullmatch(version)
    ours = int(RUN_VERSION.partition(".")[0])
    if found is None or int(found["major"]) < ours:
        raise UnreadableInput(f"{path}: schema_version {version[:40]!r} is no version that was ever written.")
    if int(found["major"]) > ours:
        raise UnreadableInput(f"{path}: schema {version} is newer than this placement reads ({RUN_VERSION}). Update.")
