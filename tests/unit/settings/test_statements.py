"""Where the keys of a TOML document stand."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.errors import UnreadableInput
from placement_cli.settings.statements import check_nesting, places_of

DOCUMENT = '''\
title = "x" # [tool.placement]
text = """
[tool.placement.check]
quick = 1 \\""" still
"""
[tool.placement]
check.quick = true
  "check" . 'arms' = [
  "a", # ]
  """b
=""",
]
[[tool.placement.limits]]
limit = "+5%"
[[tool.placement.limits]]

  limit = "+6%"
[tool.placement.limits.inner]
deep = {x = 1}
[tool.other]
quick = 2
'''


def test_keys_are_found_whatever_stands_around_them() -> None:
    """Strings, comments and lists over several lines hide nothing and add nothing."""
    tomllib.loads(DOCUMENT)
    places = places_of(DOCUMENT, "f", ("tool", "placement"))
    assert places.keys == {
        (): (6, 1),
        ("check", "quick"): (7, 1),
        ("check", "arms"): (8, 3),
        ("limits",): (13, 1),
        ("limits", 0): (13, 1),
        ("limits", 0, "limit"): (14, 1),
        ("limits", 1): (15, 1),
        ("limits", 1, "limit"): (17, 3),
        ("limits", 1, "inner"): (18, 1),
        ("limits", 1, "inner", "deep"): (19, 1),
    }


def test_what_has_no_line_of_its_own_is_where_it_is_contained() -> None:
    """A value in an inline table stands where the table does."""
    assert places_of("a = 1\ncheck = {quick = 3}", "f", ()).of_key("check", "quick") == "f:2:1"
    assert places_of("[tool]\nplacement = {schema = 2}", "f", ("tool", "placement")).of_key("schema") == "f:2:1"


@pytest.mark.parametrize(
    "text",
    [
        "a" + ".a" * 500_000 + "=1",
        "x={a" + " . a" * 40 + "=1}",
        "a=" + "[" * 500_000,
        "a=" + "{a=" * 100_000,
        f"[{'a.' * 33}a]",
    ],
    ids=["dotted", "dotted-inside", "lists", "tables", "header"],
)
def test_what_no_person_wrote_is_refused_before_it_is_read(text: str) -> None:
    """Python's reader would take hours for the first, and a recursion error for others."""
    with pytest.raises(UnreadableInput, match="f:1: nested deeper than 32 levels"):
        check_nesting(text, "f")


@pytest.mark.parametrize("piece", ['\\"""', "\\'''", '"""', "'''", '"', "'", '\\"', "#", "'\n", '"\n'])
def test_strings_that_never_end_are_looked_at_once(piece: str) -> None:
    """A megabyte of them takes no longer than a megabyte of anything."""
    check_nesting(piece * (1_000_000 // len(piece)), "f")


KEYS = st.text(min_size=1, max_size=8)
SCALARS = st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=20)


def written(text: str) -> str:
    """Return `text` as a TOML string on one line."""
    return '"' + "".join(f"\\U{ord(each):08X}" if not each.isalnum() else each for each in text) + '"'


def literal(value: Any) -> str:
    """Return a value as TOML."""
    return str(value).lower() if isinstance(value, bool) else written(value) if isinstance(value, str) else str(value)


@given(
    st.dictionaries(KEYS, st.dictionaries(KEYS, SCALARS, max_size=4), max_size=4),
    st.text(alphabet="#=[]'\"", max_size=9),
)
@settings(deadline=None)
def test_every_key_of_any_document_has_its_line(document: dict[str, dict[str, Any]], comment: str) -> None:
    """Whatever the names are, the place of a key is the line it was written on."""
    lines, expected = [], {}
    for name, table in document.items():
        lines.append(f"[{written(name)}] # {comment}")
        expected[(name,)] = (len(lines), 1)
        for key, value in table.items():
            lines.append(f" {written(key)} = {literal(value)}")
            expected[(name, key)] = (len(lines), 2)
    text = "\n".join(lines)
    assert tomllib.loads(text) == document
    assert places_of(text, "f", ()).keys == expected
