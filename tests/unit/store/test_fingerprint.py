"""Set-ups that may be compared have equal fingerprints, and what differs is told."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.store.fingerprint import differences, fingerprint

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
FACTS = st.dictionaries(
    st.text(max_size=3),
    st.recursive(
        LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_size=4,
)


def backwards(facts: Any) -> Any:
    """Return the same facts with every mapping in reverse order."""
    if isinstance(facts, dict):
        return {key: backwards(facts[key]) for key in reversed(facts)}
    return [backwards(item) for item in facts] if isinstance(facts, list) else facts


@given(FACTS)
@settings(deadline=None)
def test_order_of_keys_does_not_matter(facts: dict[str, Any]) -> None:
    """At any depth."""
    assert fingerprint(facts) == fingerprint(backwards(facts))
    assert differences(facts, backwards(facts)) == []


@given(FACTS)
@settings(deadline=None)
def test_facts_read_back_from_json_are_the_same(facts: dict[str, Any]) -> None:
    """A journal written on this set-up matches it, tuples become lists or not."""
    again = json.loads(json.dumps(facts))
    assert fingerprint(again) == fingerprint(facts)
    assert (
        differences(again, {key: tuple(value) if isinstance(value, list) else value for key, value in facts.items()})
        == []
    )


@given(FACTS, FACTS)
@settings(deadline=None)
def test_differences_are_told_exactly_when_fingerprints_differ(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Nobody is told that set-ups differ without being told in what, nor the other way round."""
    assert (fingerprint(one) == fingerprint(other)) == (differences(one, other) == [])


@pytest.mark.parametrize(
    ("one", "other"), [({"a": 1}, {"a": True}), ({"a": 1}, {"a": 1.0}), ({"a": None}, {}), ({"a": {}}, {})]
)
def test_nearly_equal_facts_differ_consistently(one: dict[str, Any], other: dict[str, Any]) -> None:
    """What JSON writes differently is different, although Python calls it equal or absent."""
    assert fingerprint(one) != fingerprint(other)
    assert len(differences(one, other)) == 1


def test_differences_name_the_fact_and_both_values() -> None:
    """Each is a part of a sentence, sorted by the path of the fact."""
    one = {"mlx": "0.31", "host": {"os": "Linux", "cores": 2}, "gone": 1}
    other = {"mlx": "0.32", "host": {"os": "Linux", "cores": 4}, "new": [1]}
    assert differences(one, other) == [
        "gone was 1 and is not there",
        "host.cores was 2 and is 4",
        "mlx was '0.31' and is '0.32'",
        "new was not there and is [1]",
    ]


def test_a_fact_that_becomes_a_group_differs() -> None:
    """A mapping in place of a value is one difference."""
    assert differences({"a": 1}, {"a": {"b": 1}}) == ["a was 1 and is {'b': 1}"]


def test_fingerprints_are_short_and_say_how_they_were_made() -> None:
    """People see them in tables."""
    assert re.fullmatch(r"sha256:[0-9a-f]{24}", fingerprint({"a": 1}))


def test_numbers_that_json_cannot_hold_are_no_facts() -> None:
    """A fact must stay the same, and NaN is not even equal to itself."""
    with pytest.raises(ValueError, match="JSON compliant"):
        fingerprint({"a": float("nan")})
