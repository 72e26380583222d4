"""Names from documents as one line without characters that steer whatever reads them, and no two alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from itertools import count

LONGEST = 200
"""Characters of a name that other tools are given: some cut theirs or refuse more than 1,024."""
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def plain_line(text: str, longest: int = LONGEST) -> str:
    """Return `text` on one line of at most `longest` characters; what breaks lines is a blank, what hides replaced."""
    flat = " ".join("".join(_visible(char) for char in text[: 2 * longest]).split())
    return flat if len(flat) <= longest else f"{flat[: longest - 1]}{ELLIPSIS}"


def unique_names(names: Iterable[str]) -> list[str]:
    """Return for each name a plain line; where two become alike, the later one ends with its number."""
    used: dict[str, None] = {}
    numbers: dict[str, count[int]] = {}
    for name in (plain_line(name) or REPLACEMENT for name in names):
        shown = name
        while shown in used:
            shown = f"{name} ({next(numbers.setdefault(name, count(2)))})"
        used[shown] = None
    return list(used)


def _visible(char: str) -> str:
    category = unicodedata.category(char)
    if category in ("Cc", "Zl", "Zp"):
        return " "
    return REPLACEMENT if category in ("Cf", "Cs", "Co", "Cn") else char
