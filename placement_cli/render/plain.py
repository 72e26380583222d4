"""Text from documents, made safe for a terminal: it is data, never markup and never control codes."""

from __future__ import annotations

import unicodedata

from rich.text import Text

SAFE_CONTROLS = frozenset("\n")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def harmless(text: str) -> str:
    """Return `text` with every character that could steer a terminal replaced: controls and format characters."""
    return "".join(
        REPLACEMENT if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co") and char not in SAFE_CONTROLS else char
        for char in text
    )


def plain(text: str, style: str = "") -> Text:
    """Return `text` as a Rich text without interpreting anything in it."""
    return Text(harmless(text), style=style)
