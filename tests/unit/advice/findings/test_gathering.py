"""Many findings of one kind become a few and a count."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.advice.advice import SEVERITIES, Finding
from placement_cli.advice.findings.facts import finding, listed
from placement_cli.advice.findings.gathering import gathered
from placement_cli.advice.thresholds import MOST_OF_A_CODE
from placement_cli.codes import CODES

FINDINGS = st.builds(
    lambda code, node, severity: finding(code, node, severity, "Something is.", "Change it."),
    st.sampled_from(sorted(CODES)[:4]),
    st.none() | st.sampled_from(["a", "b", "c"]),
    st.sampled_from(SEVERITIES),
)


def alike(count: int) -> list[Finding]:
    """So many findings of one kind."""
    return [finding("PL301", f"n{at}", "warning", "Something is.", "Change it.") for at in range(count)]


@pytest.mark.parametrize("count", [1, MOST_OF_A_CODE])
def test_a_few_are_all_told(count: int) -> None:
    """Nothing is left out that can be read."""
    assert gathered(alike(count)) == alike(count)


def test_of_many_the_rest_is_counted_and_some_are_named() -> None:
    """Nobody reads two hundred of the same."""
    found = gathered(alike(200))
    assert [each.node for each in found] == ["n0", "n1", "n2", "n3", None]
    assert found[-1].says == "The same in 196 more places: n4, n5, n6, n7 and 192 more."
    assert found[-1].evidence == {"places": 196.0}


@given(st.lists(FINDINGS, max_size=60))
@settings(deadline=None)
def test_no_kind_of_finding_is_lost(findings: Sequence[Finding]) -> None:
    """The worst come first, and every code that was found with a severity is still there with it."""
    found = gathered(findings)
    assert {(each.code, each.severity) for each in found} == {(each.code, each.severity) for each in findings}
    order = [(SEVERITIES.index(each.severity), each.code) for each in found]
    assert order == sorted(order)
    assert all(order.count(kind) <= MOST_OF_A_CODE for kind in order)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c", "d"], "a, b, c and d"),
        (["a", "b", "c", "d", "e"], "a, b, c, d and 1 more"),
    ],
)
def test_names_are_listed_as_one_would_say_them(names: list[str], said: str) -> None:
    """Up to four of them."""
    assert listed(names) == said
