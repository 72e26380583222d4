"""The terms of the cost of a product in words."""

from __future__ import annotations

from placement_cli.profile.terms import UNITS
from placement_cli.render.term_words import TERM_WORDS


def test_every_term_has_words_of_its_own() -> None:
    """In the order of the terms; no two are told alike."""
    assert list(TERM_WORDS) == list(UNITS)
    assert len(set(TERM_WORDS.values())) == len(UNITS)


def test_words_stand_alone() -> None:
    """What is paid on top says on top of what: the row above may be missing where it was not determined."""
    on_top = [TERM_WORDS["gather_far"], TERM_WORDS["scatter_far"]]
    on_top += [words for words in TERM_WORDS.values() if "more" in words]
    assert all(words.startswith("more for a") for words in on_top)
    assert not any(words.startswith("the same") for words in TERM_WORDS.values())
