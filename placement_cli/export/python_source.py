"""Names from documents in Python source: as parts of identifiers, and in comments that end where their line does."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import count

LONGEST = 60
"""Characters of a name that become part of an identifier."""
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def unique_words(names: Iterable[str]) -> list[str]:
    """Return for each name a word that identifiers can be made of, such as `after_WORD`; no two are alike.

    Words begin with a letter and hold letters and digits of ASCII and underscores; case does not tell two apart.
    One may be a keyword, which it no longer is with a prefix or in capitals.
    """
    words: list[str] = []
    used: set[str] = set()
    numbers: dict[str, count[int]] = {}
    for whole in map(_word, names):
        word = whole
        while word.lower() in used:
            word = f"{whole}_{next(numbers.setdefault(whole.lower(), count(2)))}"
        used.add(word.lower())
        words.append(word)
    return words


def comment(text: str) -> str:
    """Return `text`, which may come from a document, as one line of comment."""
    shown = "".join(char if char.isprintable() else REPLACEMENT for char in text)
    return f"# {shown}"


def _word(name: str) -> str:
    """Return the letters and digits of `name`, joined by underscores."""
    word = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:LONGEST].rstrip("_")
    return word if word and not word[0].isdigit() else f"node_{word}".rstrip("_")
