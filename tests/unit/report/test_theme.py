"""Colours: readable in both themes, and no name of one is left in a file."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from placement_cli.report.theme import DARK, LIGHT, chart_config, colour, for_file, variables

WORDS = ("ink", "muted", "mark", "slower", "faster", "same", "inconclusive", "invalid")
MARKS = (*WORDS, "work", "held", *(f"arm-{number}" for number in range(1, 7)))


def luminance(colour_: str) -> float:
    """Return the relative luminance as WCAG 2 defines it."""
    parts = (int(colour_[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG 2 defines it."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_words_and_marks_have_the_contrast_of_wcag_aa(theme: Mapping[str, str]) -> None:
    """4.5 for what is read, on either ground; 3 for what is looked at."""
    assert min(contrast(theme[name], theme[ground]) for name in WORDS for ground in ("paper", "raised")) >= 4.5
    assert min(contrast(theme[name], theme["paper"]) for name in MARKS) >= 3


def test_both_themes_define_the_same_colours() -> None:
    """A chart that names one is drawn in either."""
    assert LIGHT.keys() == DARK.keys()
    assert f"--ink:{DARK['ink']};" in variables(DARK)


def test_a_file_has_no_names_of_colours() -> None:
    """Other text is left as it is, also text that looks like one."""
    spec = {"a": [colour("ink"), {"b": "var(--unknown)"}], "config": chart_config()}
    changed = for_file(spec)
    assert changed["a"] == [LIGHT["ink"], {"b": "var(--unknown)"}]
    assert "var(--" not in json.dumps(changed["config"])
