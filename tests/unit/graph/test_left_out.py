"""What a run of a graph leaves out is told."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.graph.graph import BlockShape, Costs, Edge, Emission, Graph, GraphNode, GraphSource, Platform
from placement_cli.graph.left_out import left_out

HOST_S = Costs(host_s=1e-3)


def node(name: str, **facts: Any) -> GraphNode:
    """Return a rectifier on the source."""
    return GraphNode(name, (Edge("source"),), "abs", **facts)


def told(*nodes: GraphNode, **facts: Any) -> tuple[str, ...]:
    """Return what is left out of a graph of these nodes."""
    return left_out(Graph(GraphSource(8, 4), nodes, **facts))


def test_nothing_is_said_of_a_graph_that_runs_as_it_is() -> None:
    """Silence means that nothing is missing."""
    assert told(node("a"), GraphNode("b", (Edge("a"),), backend="host", costs=HOST_S)) == ()


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"state": "carried"}, "Node 'A': carries no state when it is run."),
        ({"weights": "w.npy"}, "Node 'A': has weights drawn at random."),
        ({"blocks": BlockShape(2, 4, 4)}, "Node 'A': has weights drawn at random."),
        ({"backend": "host", "costs": HOST_S}, "Node 'A': works on the host, so its operator is not run."),
        ({"thread": "io"}, "Everything runs on one thread and one stream."),
        ({"stream": "s"}, "Everything runs on one thread and one stream."),
        ({"inputs": (Edge("source", leaky=True),)}, "Readers that may drop messages take every one."),
    ],
)
def test_facts_that_a_run_ignores_are_told(facts: dict[str, Any], said: str) -> None:
    """Each in one sentence, with the node where it is about one; names are left as they are."""
    first = GraphNode(**{"name": "A", "inputs": (Edge("source"),), "op": "abs", **facts})
    assert told(first, node("b")) == (said,)


def test_nodes_of_one_kind_are_told_together() -> None:
    """Not one line for each."""
    seldom = {"backend": "host", "costs": HOST_S, "emits": Emission(every=2)}
    hosts = [GraphNode(name, (Edge("source"),), **seldom) for name in ("a", "b")]
    assert told(*hosts) == ("Nodes 'a', 'b': gives output for every message.",)


def test_another_platform_is_not_this_one() -> None:
    """The figures are of the machine that measured them."""
    (said,) = told(node("a"), platform=Platform("metal", "0.32.4"))
    assert said == "It runs here, not on the platform that the graph is for ('metal', '0.32.4')."
