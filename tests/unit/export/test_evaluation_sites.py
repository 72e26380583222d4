"""What a placement changes."""

from __future__ import annotations

import pytest

from placement_cli.export.evaluation_sites import changed_sites
from placement_cli.graph.graph import Edge, Graph, GraphNode, GraphSource
from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode

GRAPH = Graph(
    GraphSource(30, 64),
    (GraphNode("a", (Edge("source"),)), GraphNode("l", (Edge("a"),), repeat=2), GraphNode("b", (Edge("l"),))),
)


@pytest.mark.parametrize(
    ("placement", "current", "titles"),
    [
        ({"a": OFF, "b": ASYNC}, {"a": SYNC, "b": ASYNC}, ["'a': sync -> off"]),
        ({"b": ASYNC}, {}, ["'b': off -> async"]),
        ({"l.0": ASYNC, "l.1": ASYNC}, {"l.0": OFF, "l.1": OFF}, ["'l' (2 copies): off -> async"]),
        ({"l": ASYNC}, {"l": OFF}, ["'l' (2 copies): off -> async"]),
        ({"l": ASYNC}, {"l.0": ASYNC, "l.1": OFF}, ["'l.1': off -> async"]),
        ({"l.0": ASYNC, "l.1": OFF}, {"l": SYNC}, ["'l.0': sync -> async", "'l.1': sync -> off"]),
        ({"l.1": ASYNC}, {}, ["'l.1': off -> async"]),
        ({"a": SYNC}, {"a": SYNC}, []),
        ({}, {"a": SYNC}, []),
    ],
)
def test_sites_are_what_changes(placement: dict[str, Mode], current: dict[str, Mode], titles: list[str]) -> None:
    """Copies together where they change alike, one by one where they do not."""
    assert [site.title for site in changed_sites(GRAPH, placement, current)] == titles
