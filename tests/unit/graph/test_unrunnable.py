"""What cannot be run, all of it in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.errors import UsageError
from placement_cli.graph.graph import Costs, Edge, Emission, Graph, GraphNode, GraphSource
from placement_cli.graph.runnable import runnable
from placement_cli.graph.unrunnable import MAX_RUN_NODES

HEAD = "the graph cannot be run as it stands: "


def node(name: str, op: str | None = "abs", reads: Edge | None = None, **facts: Any) -> GraphNode:
    """Return a node that reads the source or another."""
    return GraphNode(name, (reads or Edge("source"),), op, **facts)


def refusal(*nodes: GraphNode, dtype: str = "float32") -> str:
    """Return what is said of a graph that cannot be run."""
    with pytest.raises(UsageError) as raised:
        runnable(Graph(GraphSource(8, 4, dtype), nodes))
    text = str(raised.value)
    assert text.startswith(HEAD)
    return text.removeprefix(HEAD)


def test_nodes_without_an_operator_are_listed_together() -> None:
    """Of many only the first are named."""
    text = refusal(*(node(f"n{number}", None) for number in range(6)))
    assert text.startswith("nodes 'n0', 'n1', 'n2', 'n3' and 2 more: has no `op`")


def test_every_reason_is_told_at_once() -> None:
    """A person mends them in one go."""
    text = refusal(
        node("a", None), node("b", reads=Edge("a", lag=1)), node("c", emits=Emission(every=3)), dtype="int16"
    )
    assert [text.find(part) > -1 for part in ("node 'a': ", "node 'b': ", "node 'c': ", "messages of int16")] == [
        True
    ] * 4
    assert text.count(";") == 4
    assert "(`lag`)" in text
    assert "`emits`" in text


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ([node("a", "sosfit")], "node 'a': there is no operator 'sosfit'. Did you mean 'sosfilt'?"),
        ([node("a", "scale", params={"gian": 2})], "node 'a': scale has no parameter 'gian'"),
        ([node("a", "join")], "node 'a': join takes 2 to 64 inputs, not 1"),
        ([node("a", device="gpu"), node("b")], "node 'a': work on several devices"),
        ([node("a", repeat=2), node("a.1")], "node 'a.1': called like a copy of another node"),
        ([node("a", repeat=MAX_RUN_NODES + 1)], f"it has {MAX_RUN_NODES + 1} nodes, copies counted; at most"),
        ([node("a", None, backend="host")], "no node does MLX work"),
        ([node("a", costs=Costs(host_s=61.0))], "node 'a': works longer than 60 s on the host"),
        ([node("a"), node("b", "host", backend="host", params={"kind": "nap"})], "node 'b': host: parameter 'kind'"),
    ],
)
def test_what_cannot_be_run_says_why(nodes: list[GraphNode], said: str) -> None:
    """The node, the reason, and where there is one the nearest name."""
    assert refusal(*nodes).startswith(said)


def test_nothing_is_said_of_what_stands_behind_a_node_that_fails() -> None:
    """Its shape is not known."""
    assert refusal(node("a", "join"), node("b", "join", Edge("a"))).count("node") == 1


def test_operators_that_withhold_may_emit_seldom() -> None:
    """That is what they do."""
    graph = Graph(GraphSource(8, 4), (node("a", "downsample", emits=Emission(every=3)),))
    assert runnable(graph).pipeline.nodes[0].op == "downsample"
