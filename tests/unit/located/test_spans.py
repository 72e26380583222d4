"""Where values begin and end in the text."""

from __future__ import annotations

import pytest

from placement_cli.located.spans import spans_of

TEXT = "\ufeffa: {b: 'x y', c: [1, {d: 2}]}  # é\r\ne:\r\n  f: |\r\n    t\r\n  g: h\r\n"


def test_values_are_cut_out_of_the_text_as_written() -> None:
    """With their quotes and brackets, whatever comes before them."""
    root = spans_of(TEXT)
    a, e = root.value("a"), root.value("e")

    assert TEXT[a.start : a.end] == "{b: 'x y', c: [1, {d: 2}]}"
    assert (a.flow, e.flow) == (True, False)
    assert TEXT[a.value("b").start : a.value("b").end] == "'x y'"
    assert (a.value("b").style, a.value("b").text) == ("'", "x y")
    assert TEXT[a.value("c").start : a.value("c").end] == "[1, {d: 2}]"
    assert e.value("f").style == "|"
    assert TEXT[e.value("g").start : e.value("g").end] == "h"


def test_keys_have_their_place_too() -> None:
    """In the order of the text."""
    root = spans_of(TEXT)

    assert [TEXT[key.start : key.end] for key, _ in root.entries] == ["a", "e"]
    assert root.entry("e") == 1
    with pytest.raises(KeyError):
        root.entry("b")
