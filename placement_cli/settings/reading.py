"""Reads the settings in one file, as a table and the place of each key; what it may hold is checked elsewhere."""

from __future__ import annotations

import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from placement_cli.errors import UnreadableInput
from placement_cli.located.places import Places, shown_path
from placement_cli.settings.statements import check_nesting, places_of

MAX_BYTES = 1024 * 1024
"""The largest file that is read: the settings of a hundred projects have less."""

PYPROJECT = "pyproject.toml"
TOOL, TABLE = "tool", "placement"
"""Settings stand in `[tool.placement]` of pyproject.toml; in other files they are the whole document."""

_AT = re.compile(r" \(at (?:line (?P<line>[0-9]+), column (?P<column>[0-9]+)|end of document)\)$")


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file with settings: its path, what stands in it, and where; `places.origin` is how messages call it."""

    path: Path
    table: Any
    places: Places


def read_settings(path: Path, cwd: Path) -> SettingsFile | None:
    """Return the settings in the file `path`, None when it is a pyproject.toml that has no `[tool.placement]`.

    A file below `cwd` is called by its path from there. Raises UnreadableInput for what cannot be read as TOML.
    """
    origin = shown_path(path.relative_to(cwd) if path.is_relative_to(cwd) else path)
    raw = _content(path, origin)
    if path.name != PYPROJECT:
        text, data = _parsed(raw, origin)
        return SettingsFile(path, data, places_of(text, origin, ()))
    if TABLE.encode() not in raw:
        # Whatever else is wrong with the file is for other programs to say.
        return None
    text, data = _parsed(raw, origin)
    tool = data.get(TOOL)
    if not isinstance(tool, dict) or TABLE not in tool:
        return None
    return SettingsFile(path, tool[TABLE], places_of(text, origin, (TOOL, TABLE)))


def _content(path: Path, origin: str) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UnreadableInput(f"{origin}: cannot be read (this is no file).")
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableInput(f"{origin}: cannot be read ({error.strerror}).") from None
    if len(raw) > MAX_BYTES:
        raise UnreadableInput(f"{origin}: is larger than {MAX_BYTES // 1024} KiB, the most that settings may have.")
    return raw


def _parsed(raw: bytes, origin: str) -> tuple[str, Mapping[str, Any]]:
    """Return the text of a document and what it means."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UnreadableInput(f"{origin}:{line}: is not UTF-8 text.") from None
    check_nesting(text, origin)
    try:
        return text, tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _no_toml(str(error), origin) from None


def _no_toml(message: str, origin: str) -> UnreadableInput:
    """Return the error for what Python's reader refused: its own sentence, with the place in front."""
    at = _AT.search(message)
    place = f"{origin}:{at['line']}:{at['column']}" if at and at["line"] else origin
    return UnreadableInput(f"{place}: is not TOML: {_AT.sub('', message)}.")
