"""Explanations of findings: one for each code, found however it is asked for."""

from __future__ import annotations

import re

import pytest

from placement_cli.advice.explaining import EXPLANATIONS, explanation
from placement_cli.codes import CODES
from placement_cli.errors import UsageError


def test_every_code_is_explained() -> None:
    """All codes, no others, in their order, and each explanation says which it is."""
    assert list(EXPLANATIONS) == list(CODES)
    assert [each.code for each in EXPLANATIONS.values()] == list(CODES)


@pytest.mark.parametrize("code", CODES)
def test_an_explanation_is_whole(code: str) -> None:
    """Every part is there, in sentences; modes are written as graph.yaml writes them."""
    each = EXPLANATIONS[code]
    parts = (each.summary, each.means, each.why, each.decided, *each.do)
    assert each.do
    assert all(re.search(r"[.)]$", part) for part in parts)
    assert not any(re.search(r"  |\bTODO\b|window:[0-9]|every:[0-9]", part) for part in parts)


@pytest.mark.parametrize("code", CODES)
def test_a_finding_is_found_by_code_and_by_name(code: str) -> None:
    """In capitals or not, with space around it."""
    name = CODES[code]
    for asked in (code, code.lower(), name, name.upper(), name.title(), f" {code} "):
        assert explanation(asked) is EXPLANATIONS[code]


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        ("PL10", r"Did you mean 'PL10\d'\?"),
        ("pl2004", r"Did you mean 'PL204'\?"),
        ("grwth", r"Did you mean 'growth'\?"),
        ("Hidden Sync", r"Did you mean 'hidden-sync'\?"),
        ("", r"Known: growth, "),
        ("x" * 10_000, r"^'x{40}' is no code or name of a finding\. Known: "),
        ("\x1b[31m\n", r"^'\\x1b\[31m\\n' is no code"),
    ],
)
def test_another_word_is_refused_with_the_nearest(asked: str, nearest: str) -> None:
    """The message repeats little of what was asked, and nothing that steers a terminal."""
    with pytest.raises(UsageError, match=nearest):
        explanation(asked)
