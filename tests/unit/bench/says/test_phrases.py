"""The words of the sentences."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placement_cli.bench.says.phrases import (
    arm_phrase,
    case_phrase,
    interval_phrase,
    listed,
    ratio_phrase,
    seconds_phrase,
)
from placement_cli.store.run_document import CaseRecord, Comparison, Estimate


@pytest.mark.parametrize(
    ("name", "mode", "sites", "words"),
    [
        ("async", "async", ["z"], "ASYNC at the tail"),
        ("sync@every-node", "sync", ["a", "z"], "SYNC at every node"),
        ("async@a+b", "async", ["a", "b"], "ASYNC at a and b"),
        ("window:4", "window:4", ["z"], "a window of 4 at the tail"),
        ("every:8@a", "every:8", ["a"], "SYNC once in 8 messages at a"),
        ("async+state", "async", ["z"], "ASYNC at the tail with the carried state"),
        ("sync+values", "sync", ["z"], "SYNC at the tail and a conversion to NumPy"),
        ("async@a+state+values", "async", ["a"], "ASYNC at a with the carried state and a conversion to NumPy"),
        ("off+values", "off", [], "no evaluation point before the conversion to NumPy"),
        ("off", "off", [], "no evaluation point until the end"),
    ],
)
def test_arms_in_words(
    name: str, mode: str, sites: list[str], words: str, make_record: Callable[..., CaseRecord]
) -> None:
    """An arm is named by its mode, where its points are, and what else it does."""
    arm = {"name": name, "mode": mode, "sites": sites, "state": "+state" in name, "values": "+values" in name}
    assert arm_phrase(arm, make_record()) == words


@pytest.mark.parametrize(("reading", "op"), [("burst", "abs"), ("stream", "values")])
def test_nothing_until_the_end_belongs_to_streams(
    reading: str, op: str, make_record: Callable[..., CaseRecord]
) -> None:
    """Where a message is dropped or converted at once, `off` does not wait until the end."""
    case = make_record(reading=reading, nodes=[{"name": "last", "op": op}])
    assert arm_phrase({"name": "off", "mode": "off", "sites": [], "state": False, "values": False}, case) == (
        "no evaluation point"
    )


def test_cases_are_named_by_their_parameters(make_record: Callable[..., CaseRecord]) -> None:
    """A case stands where its axes say; one without axes is the one case."""
    assert case_phrase(make_record(params={"chunk": "30x256", "depth": 4})) == "chunk 30x256 depth 4"
    assert case_phrase(make_record()) == "the one case"


def test_ratios_have_their_interval(make_comparison: Callable[..., Comparison]) -> None:
    """A ratio is told with its interval where it has one."""
    assert ratio_phrase(make_comparison()) == "1.40 times [1.30, 1.50]"
    assert ratio_phrase(make_comparison(ci=None)) == "1.40 times"
    assert interval_phrase(0.5, 1234) == "[0.500, 1234]"


def seconds(value: float, low: float | None, high: float | None) -> Estimate:
    """An estimate in seconds."""
    return Estimate(name="x", value=value, low=low, high=high, unit="s")


def test_prices_have_their_interval() -> None:
    """A price clear of zero is a duration with its interval; without blocks for one, that is said."""
    assert seconds_phrase(seconds(2e-6, 1e-6, 3e-6)) == "2.00 µs [1.00 µs, 3.00 µs]"
    assert seconds_phrase(seconds(2e-6, None, None)) == "2.00 µs (too few blocks for an interval)"


@pytest.mark.parametrize(("low", "high"), [(-1e-6, 3e-6), (0.0, 3e-6), (-3e-6, 0.0)])
def test_a_price_that_may_be_zero_is_not_called_one(low: float, high: float) -> None:
    """Where the interval holds zero the price cannot be told from nothing."""
    text = seconds_phrase(seconds((low + high) / 2, low, high))
    assert text.startswith("nothing that can be told from zero (")


def test_parts_are_joined_as_people_do() -> None:
    """Commas, and an `and` before the last."""
    assert [listed(["a", "b", "c"][:count]) for count in range(4)] == ["", "a", "a and b", "a, b and c"]


@given(st.lists(st.text("abc", min_size=1), min_size=1, max_size=6))
def test_no_part_is_lost(parts: list[str]) -> None:
    """Every part of a list is in the sentence, in order."""
    assert listed(parts).replace(" and ", ", ").split(", ") == parts


def test_a_placement_is_called_by_its_name(make_record: Callable[..., CaseRecord]) -> None:
    """No mode and no site says what it is."""
    arm = {"name": "advised", "mode": "mixed", "sites": ["a"], "state": False, "values": False, "modes": {"a": "sync"}}
    assert arm_phrase(arm, make_record()) == "the placement advised"
