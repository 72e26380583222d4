"""Text from documents is data."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from placement_cli.render.plain import REPLACEMENT, STEERING, harmless, plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("async@every-node", "async@every-node"),
        ("größer µs ☃", "größer µs ☃"),
        ("[red]x[/]", "[red]x[/]"),
        ("\x1b[31mx", f"{REPLACEMENT}[31mx"),
        ("a\tb\rc\0", f"a{REPLACEMENT}b{REPLACEMENT}c{REPLACEMENT}"),
        ("a\u202eb\u2066c\u200bd", f"a{REPLACEMENT}b{REPLACEMENT}c{REPLACEMENT}d"),
        ("a\u2028b\x85c\ud800", f"a{REPLACEMENT}b{REPLACEMENT}c{REPLACEMENT}"),
        ("two\nlines", "two lines"),
    ],
)
def test_what_steers_is_replaced(text: str, shown: str) -> None:
    """Letters and signs stay; controls, formats and separators do not, and lines become one."""
    assert harmless(text) == shown


@given(st.text())
def test_nothing_that_steers_is_left(text: str) -> None:
    """Of any text no control character is left, no other is lost, and the length stays."""
    shown = harmless(text)
    assert len(shown) == len(text)
    assert not any(unicodedata.category(char) in STEERING for char in shown)
    assert all(new == old for old, new in zip(text, shown, strict=True) if new not in (REPLACEMENT, " "))


def test_markup_is_not_interpreted() -> None:
    """A Rich text made of a name has no spans but its style."""
    text = plain("[bold]x[/bold]", "dim")
    assert (text.plain, text.spans, text.style) == ("[bold]x[/bold]", [], "dim")
    assert isinstance(text, Text)
