"""Drafts become graphs: names, order, cycles, and nodes that are only passed through."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.errors import UsageError
from placement_cli.graph.document.scalars import NODE_NAME
from placement_cli.graph.graph import Graph
from placement_cli.graph.importing.draft import Draft, DraftEdge, DraftNode, bypass
from placement_cli.graph.importing.imported import Asked, SourceFacts
from placement_cli.graph.importing.naming import names_for
from placement_cli.graph.importing.settling import settle
from placement_cli.graph.pipeline import SOURCE


def settled(keys: str, edges: str, asked: Asked | None = None) -> Graph:
    """Return the graph of nodes and edges written as letters, such as `abc` and `ab bc`."""
    draft = Draft([DraftNode(key, key) for key in keys], [DraftEdge(*edge) for edge in edges.split()])
    return settle(draft, "f", asked or Asked()).graph


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["SYS/FEAT/BP", "SYS/DEC/W"], ["BP", "W"]),
        (["A/MAT", "B/MAT"], ["A.MAT", "B.MAT"]),
        (["x", "x", "x-2"], ["x", "x-3", "x-2"]),
        (["source", "source"], ["source-2", "source-3"]),
        (["band pass (4th)", "<script>", "", "фильтр"], ["band-pass-4th", "script", "node", "node-2"]),
        (["model.layers.0", "_private"], ["model.layers.0", "_private"]),
    ],
)
def test_names_come_from_labels(labels: list[str], names: list[str]) -> None:
    """The last part of an address where that is enough, all of it where not, a number where even that is not."""
    assert names_for(labels) == names


@settings(deadline=None)
@given(st.lists(st.text(max_size=200) | st.sampled_from(["a", "a/b", "c/b", "a-2", SOURCE])))
def test_names_are_always_good_and_different(labels: list[str]) -> None:
    """Any labels give names that graph.yaml takes, the same ones each time."""
    names = names_for(labels)
    assert len(set(names)) == len(labels)
    assert all(NODE_NAME.fullmatch(name) and name != SOURCE for name in names)
    assert names_for(labels) == names


def test_nodes_come_after_their_inputs() -> None:
    """The order of the file is kept where it can be."""
    assert [node.name for node in settled("dcba", "ab bc bd").nodes] == ["a", "b", "d", "c"]


def test_a_node_on_its_own_reads_the_source_and_itself() -> None:
    """An edge from a node to itself is its own output of the message before."""
    (node,) = settled("a", "aa").nodes
    assert [(edge.node, edge.lag) for edge in node.inputs] == [(SOURCE, 0), ("a", 1)]


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=15))
def test_any_cycles_end_in_a_graph_without(pairs: list[tuple[str, str]]) -> None:
    """Every edge is kept, and what reads the same message comes later."""
    nodes = settled("abcdef", " ".join(tail + head for tail, head in pairs)).nodes
    place = {node.name: number for number, node in enumerate(nodes)} | {SOURCE: -1}
    assert all(edge.lag or place[edge.node] < place[node.name] for node in nodes for edge in node.inputs)
    kept = {(edge.node, node.name) for node in nodes for edge in node.inputs if edge.node != SOURCE}
    assert kept == set(pairs)
    assert all(node.inputs for node in nodes)


def test_what_is_asked_for_goes_first() -> None:
    """Shape, rate, device and name of the person replace what the file says."""
    graph = settled("a", "", Asked(SourceFacts(8, 4, 50.0), "cpu", "mine"))
    assert (graph.source.samples, graph.source.channels, graph.source.rate) == (8, 4, 50.0)
    assert (graph.source.kind, graph.device, graph.name) == ("live", "cpu", "mine")


def test_nodes_that_are_passed_through_leave_their_edges() -> None:
    """What enters goes on to whatever it leaves for, leaky where any part is; cycles among them end."""
    edges = [DraftEdge("a", "x", leaky=True), DraftEdge("x", "y"), DraftEdge("y", "x"), DraftEdge("y", "b", lag=1)]
    assert bypass(edges, {"x", "y"}, "f") == [DraftEdge("a", "b", lag=1, leaky=True)]


def test_passing_through_does_not_multiply_without_end() -> None:
    """A few hundred edges cannot be made into more than the limit."""
    inner = [DraftEdge(f"a{number}", "x") for number in range(1000)] + [
        DraftEdge("x", f"b{number}") for number in range(1000)
    ]
    with pytest.raises(UsageError, match="more than 100000 edges"):
        bypass(inner, {"x"}, "f")
