"""Text from documents in Markdown: taken literally, in rows of tables, and no more of it than can be shown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

MOST_BYTES = 1_000_000
"""GitHub shows summaries of up to 1 MiB and drops longer ones whole."""
LONGEST = 2_000
"""Characters of one name or sentence."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$])")
_LEADING = re.compile(r"^(\s*\d*)([-+=.)])(?=[\s=-]|$)")
"""What begins a list or a rule where it stands first in a line."""


def escaped(text: str) -> str:
    """Return `text` on one line, with whatever Markdown or HTML would interpret taken literally."""
    kept = text if len(text) <= LONGEST else f"{text[:LONGEST]}\N{HORIZONTAL ELLIPSIS}"
    flat = "".join(_visible(char) for char in kept)
    return _LEADING.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", flat.replace("&", "&amp;")))


def row(cells: Sequence[str]) -> str:
    """Return cells, which must be escaped, as one row of a table."""
    return f"| {' | '.join(cells)} |"


def head(headings: Sequence[str]) -> list[str]:
    """Return the two lines that a table begins with."""
    return [row(headings), row(["---"] * len(headings))]


def cut_to(text: str, most_bytes: int = MOST_BYTES) -> str:
    """Return `text` when it has at most `most_bytes`, or the lines that fit and a sentence on what is left out.

    An empty text when not even the sentence fits.
    """
    if len(text.encode()) <= most_bytes:
        return text
    lines = text.split("\n")
    left = most_bytes - len(_left_out(lines).encode())
    kept = 0
    for line in lines:
        left -= len(line.encode()) + 1
        if left < 0:
            break
        kept += 1
    sentence = _left_out(lines[kept:])
    shown = "\n".join([*lines[:kept], sentence])
    return shown if len(shown.encode()) <= most_bytes else ""


def _left_out(lines: Sequence[str]) -> str:
    """Return the sentence that stands for `lines`, as a paragraph of its own."""
    rows = sum(line.startswith("| ") and not line.startswith("| ---") for line in lines)
    others = sum(bool(line) and not line.startswith("| ") for line in lines)
    return f"\nLeft out, as no more can be shown: {rows} rows of tables and {others} other lines.\n"


def _visible(char: str) -> str:
    """Return a blank for controls and separators, the replacement character for what would hide or turn text."""
    category = unicodedata.category(char)
    if category in ("Cc", "Zl", "Zp"):
        return " "
    return "\N{REPLACEMENT CHARACTER}" if category in ("Cf", "Cs", "Co") else char
