"""Placements by node where the copies of a repeated node agree."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.advice.copies import copy_names, folded
from placement_cli.graph.graph import Edge, Graph, GraphNode, GraphSource
from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode, every, window

MODES = (OFF, ASYNC, SYNC, window(2), every(4))


def graph(*repeats: int) -> Graph:
    """A chain of nodes `n0`, `n1`, ... repeated so many times."""
    names = ["source", *(f"n{number}" for number in range(len(repeats)))]
    nodes = (GraphNode(names[at + 1], (Edge(names[at]),), repeat=times) for at, times in enumerate(repeats))
    return Graph(GraphSource(30, 64), tuple(nodes))


@pytest.mark.parametrize(("repeat", "names"), [(1, ("n0",)), (3, ("n0.0", "n0.1", "n0.2"))])
def test_copies_are_numbered(repeat: int, names: tuple[str, ...]) -> None:
    """A node that is not repeated has no copies but itself."""
    assert copy_names(graph(repeat).nodes[0]) == names


@pytest.mark.parametrize(
    ("placement", "told"),
    [
        ({"n0": ASYNC, "n1.0": OFF, "n1.1": OFF}, {"n0": ASYNC, "n1": OFF}),
        ({"n0": OFF, "n1.0": OFF, "n1.1": SYNC}, {"n0": OFF, "n1.0": OFF, "n1.1": SYNC}),
        ({"n1.1": SYNC, "n0": OFF}, {"n0": OFF, "n1.1": SYNC}),
        ({"n1": window(2)}, {"n1": window(2)}),
        ({}, {}),
    ],
)
def test_copies_that_agree_go_by_the_name_of_their_node(placement: dict[str, Mode], told: dict[str, Mode]) -> None:
    """In the order of the graph; copies that differ, or of which some are missing, keep their names."""
    found = folded(graph(1, 2), placement)
    assert found == told
    assert list(found) == list(told)


@settings(deadline=None)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.data())
def test_folding_loses_nothing(repeats: list[int], data: st.DataObject) -> None:
    """Every output has the mode it had, and folding what is folded changes nothing."""
    made = graph(*repeats)
    names = [name for node in made.nodes for name in copy_names(node)]
    placement = {name: data.draw(st.sampled_from(MODES)) for name in names}
    found = folded(made, placement)
    unfolded = {name: found.get(name, found.get(node.name)) for node in made.nodes for name in copy_names(node)}
    assert unfolded == placement
    assert folded(made, found) == found
