"""JSON from outside, read with one clear error: bounded in size and depth, its numbers finite, its text encodable."""

from __future__ import annotations

import gzip
import json
import math
import zlib
from pathlib import Path
from typing import IO, Any, cast

from placement_cli.errors import UnreadableInput
from placement_cli.store.journal import is_journal

MOST_BYTES = 256 * 2**20
"""Larger files are refused: as Python objects they would take several times as much."""
MOST_LEVELS = 64
"""Deeper nesting is refused: what walks a document later must not run out of stack."""
MOST_MAGNITUDE = 1e100
"""Larger numbers are refused: no quantity is that large, and sums of them leave what a float can hold."""
MOST_QUOTED = 160
"""Characters of a document, or of a place in it, that an error quotes."""

GZIP = b"\x1f\x8b"
JOURNAL_HINT = (
    "this is the journal of a run. Its document lies beside it and ends in .json; "
    "`placement bench --resume` finishes a run that has none"
)

_Place = tuple["_Place", str | int] | None
"""Where a value stands: the place of what holds it, and its key or number there."""


def read_json(path: Path) -> Any:
    """Return the JSON in `path`, which may be packed with gzip.

    Raises UnreadableInput when it cannot be read, is larger than 256 MiB or is no JSON, and, with the place, for NaN,
    infinite and absurdly large numbers, for text that UTF-8 cannot hold, and for nesting without end.
    """
    content = _content(path)
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        if is_journal(path):
            raise UnreadableInput(f"{path}: {JOURNAL_HINT}.") from None
        raise UnreadableInput(f"{path}: this is no JSON ({quoted(str(error))}){_torn(content)}.") from None
    _check_values(path, data)
    return data


def quoted(text: str) -> str:
    """Return `text`, which comes from a document, short enough for an error."""
    return text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]}..."


def _torn(content: bytes) -> str:
    """Return what to add where a document that began well has no end."""
    text = content.strip()
    return ": it ends in the middle, as a file does that was not written whole" if _unended(text) else ""


def _unended(text: bytes) -> bool:
    return not text or (text[:1] in b"{[" and text[-1:] not in b"}]")


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = _limited(path, file)
        return _unpacked(path) if content.startswith(GZIP) else content
    except (EOFError, zlib.error):
        raise UnreadableInput(f"{path}: the packed file is torn or damaged.") from None
    except OSError as error:
        raise UnreadableInput(f"{path}: cannot be read ({error.strerror or 'damaged'}).") from None
    except ValueError:
        raise UnreadableInput(f"{quoted(repr(str(path)))}: this is no path.") from None


def _limited(path: Path, file: IO[bytes]) -> bytes:
    content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise UnreadableInput(f"{path}: is larger than the {MOST_BYTES >> 20} MiB that are read of a document.")
    return content


def _unpacked(path: Path) -> bytes:
    with gzip.open(path, "rb") as file:
        return _limited(path, cast("IO[bytes]", file))


def _check_values(path: Path, data: Any) -> None:
    waiting: list[tuple[Any, _Place, int]] = [([data], None, -1)]
    while waiting:
        holder, place, level = waiting.pop()
        if level > MOST_LEVELS:
            raise UnreadableInput(f"{path}: is nested deeper than {MOST_LEVELS} levels.")
        for key, value in holder.items() if isinstance(holder, dict) else enumerate(holder):
            where = None if level < 0 else (place, key)
            problem = _problem(value)
            if problem:
                raise UnreadableInput(f"{path}: {_name(where)}{problem}.")
            if isinstance(value, dict | list):
                waiting.append((value, where, level + 1))


def _problem(value: Any) -> str:
    """Return what keeps one value from being used, nothing where it is sound."""
    if isinstance(value, int | float):
        if -MOST_MAGNITUDE <= value <= MOST_MAGNITUDE:
            return ""
        finite = isinstance(value, int) or math.isfinite(value)
        return "the number is absurdly large" if finite else "NaN and infinite numbers are not read; a gap is null"
    if isinstance(value, str):
        return "" if _encodable(value) else "the text holds half a character (a lone surrogate)"
    if isinstance(value, dict):
        return "" if all(map(_encodable, value)) else "a key holds half a character (a lone surrogate)"
    return ""


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _name(place: _Place) -> str:
    """Return the place in words, such as `cases[3].params.rate: `; nothing for the whole document."""
    parts: list[str] = []
    while place is not None:
        place, key = place
        parts.append(f"[{key}]" if isinstance(key, int) else f".{_escaped(key)}")
    name = "".join(reversed(parts)).removeprefix(".")
    return f"{quoted(name)}: " if name else ""


def _escaped(key: str) -> str:
    return key.encode("utf-8", "backslashreplace").decode()
