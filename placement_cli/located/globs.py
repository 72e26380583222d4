"""Globs as people write them for names of cases, arms and metrics."""

from __future__ import annotations

from fnmatch import fnmatchcase


def glob_matches(glob: str, text: str) -> bool:
    """Tell whether `glob` matches all of `text`: `*` is any text, `?` any character, all else stands for itself.

    Brackets are no class of characters here: ids of cases have them.
    """
    return fnmatchcase(text, glob.replace("[", "[[]"))
