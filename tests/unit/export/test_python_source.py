"""Names from documents in Python source."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.export.python_source import LONGEST, comment, unique_words


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("rectify", "rectify"),
        ("SYS/FEAT/BIN", "SYS_FEAT_BIN"),
        ("layer.0", "layer_0"),
        ("2nd filter", "node_2nd_filter"),
        ("_private__", "private"),
        ("名前", "node"),
        ("", "node"),
        ("x" * 500, "x" * LONGEST),
    ],
)
def test_words_are_made_of_what_identifiers_may_hold(name: str, word: str) -> None:
    """Of the name, as much as can be."""
    assert unique_words([name]) == [word]


def test_words_that_would_be_alike_are_numbered() -> None:
    """Also against a name that has the number already, and whatever the case."""
    assert unique_words(["a b", "a-b", "a_b_2", "A_B"]) == ["a_b", "a_b_2", "a_b_2_2", "A_B_3"]


@settings(deadline=None)
@given(st.lists(st.text(), max_size=20))
def test_every_name_gives_an_identifier_of_its_own(names: list[str]) -> None:
    """With a prefix and in capitals, whatever the names."""
    words = unique_words(names)
    assert len({word.lower() for word in words}) == len(words) == len(names)
    assert all(f"after_{word}".isidentifier() and word.upper().isidentifier() and word.isascii() for word in words)


@settings(deadline=None)
@given(st.text())
def test_a_comment_ends_where_its_line_does(text: str) -> None:
    """No character of a document ends it earlier."""
    source = f"# one\n# two\n{comment(text)}"
    assert ast.parse(source.encode()).body == []
    assert len(source.splitlines()) == 3
