"""A product with its plans."""

from __future__ import annotations

import pickle
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.measure.products.case import ProductCase, numbered


@given(st.lists(st.sampled_from(["loop", "batch", "dense"])))
@settings(deadline=None)
def test_names_that_repeat_are_numbered(names: list[str]) -> None:
    """All are different, each begins with its own, and the first of a kind has no number."""
    found = numbered(names)
    assert len(set(found)) == len(names)
    assert [name.partition(" ")[0] for name in found] == names
    assert set(names) <= set(found)


def test_a_case_travels_as_it_is(weights: Any, plans: Any) -> None:
    """Pickled and read back, it names and holds the same plans."""
    case = ProductCase(weights, (*plans, plans[1]), 30, 4)
    back = pickle.loads(pickle.dumps(case))
    assert back.names == case.names == ("dense", "loop", "loop 2")
    assert (back.plans, back.samples, back.seed) == (case.plans, 30, 4)
    assert (back.weights == weights).all()
