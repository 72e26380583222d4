"""Text from documents, made safe for a terminal: it is data, never markup and never control codes."""

from __future__ import annotations

import unicodedata

from rich.text import Text

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
STEERING = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Categories of Unicode whose characters steer a terminal or hide: controls, formats, surrogates, separators."""


def harmless(text: str) -> str:
    """Return `text` on one line, with every character that could steer a terminal replaced."""
    flat = " ".join(text.split("\n")) if "\n" in text else text
    return "".join(REPLACEMENT if unicodedata.category(char) in STEERING else char for char in flat)


def plain(text: str, style: str = "") -> Text:
    """Return `text` as a Rich text without interpreting anything in it."""
    return Text(harmless(text), style=style)
