"""Nodes in an order in which they can run, and the cycle where there is none."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.graph.document.ordering import cycle_among, cycle_text, in_order

SIZE = 6
READS = st.lists(st.lists(st.integers(0, SIZE - 1), max_size=3), min_size=SIZE, max_size=SIZE).map(
    lambda rows: {f"n{index}": [f"n{other}" for other in row] for index, row in enumerate(rows)}
)


def test_an_order_that_can_run_stays() -> None:
    """The order of the document is the order of the host."""
    reads: dict[str, list[str]] = {"b": [], "a": ["b"], "d": ["b", "b"], "c": ["a", "d"]}

    assert in_order(reads) == ["b", "a", "d", "c"]


def test_a_node_waits_for_its_inputs_and_no_longer() -> None:
    """Of those that can run the first of the document is next."""
    reads: dict[str, list[str]] = {"late": ["mid"], "x": [], "mid": ["first"], "first": [], "y": []}

    assert in_order(reads) == ["x", "first", "mid", "late", "y"]


def test_a_cycle_is_told_from_its_first_node_in_the_direction_of_messages() -> None:
    """Nodes that only lie behind it are no part of it."""
    reads = {"behind": ["b"], "a": ["c"], "b": ["a"], "c": ["b"], "free": []}
    cycle = cycle_among(reads, in_order(reads))

    assert cycle == ["a", "b", "c"]
    assert cycle_text(cycle) == "a -> b -> c -> a"


@settings(deadline=None)
@given(READS)
def test_every_graph_has_an_order_or_a_cycle(reads: dict[str, list[str]]) -> None:
    """Each node comes once and after its inputs; of a cycle each node is read by the next."""
    order = in_order(reads)
    cycle = cycle_among(reads, order)

    assert all(set(reads[name]) <= set(order[:index]) for index, name in enumerate(order))
    assert len(set(order)) == len(order)
    assert bool(cycle) == (len(order) < len(reads))
    assert all(name in reads[reader] for name, reader in zip(cycle, cycle[1:] + cycle[:1], strict=True))
