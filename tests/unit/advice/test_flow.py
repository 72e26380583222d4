"""A graph written out: copies, who depends on whom, and how often each node runs."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.advice.flow import SELDOM, Flow, flow_of
from placement_cli.errors import UsageError
from placement_cli.graph.document.reading import graph_of
from placement_cli.graph.graph import Edge, Graph, GraphNode, GraphSource

FlowFrom = Callable[..., Flow]
Documents = Callable[[int], st.SearchStrategy[dict[str, Any]]]


def names(flow: Flow, bits: int) -> str:
    """The nodes that are set in `bits`, by name."""
    return " ".join(node.name for node in flow.nodes if bits >> node.number & 1)


def test_copies_form_a_chain_and_readers_take_the_last(flow_from: FlowFrom) -> None:
    """The first copy reads what the node reads, an earlier message of the node included."""
    flow = flow_from("a: {inputs: [source, {node: a, lag: 1}], repeat: 3}\nb: {inputs: a}")

    assert [node.name for node in flow.nodes] == ["a.0", "a.1", "a.2", "b"]
    assert [(link.sender, link.reader, link.lag) for link in flow.links] == [
        (-1, 0, 0), (2, 0, 1), (0, 1, 0), (1, 2, 0), (2, 3, 0)
    ]  # fmt: skip
    assert {node.origin for node in flow.nodes} == {"a", "b"}


BOUNDARIES = [
    ("b: {inputs: a}", "a b"),
    ("b: {inputs: a, backend: host}\nc: {inputs: b}", "c"),
    ("b: {inputs: a, process: other}", "b"),
    ("b: {inputs: a, thread: other}", "a b"),
    ("b: {inputs: a, forces: always}", "a b"),
    ("b: {inputs: [{node: a, lag: 1}, source]}", "b"),
    ("b: {inputs: {node: a, leaky: true}}", "b"),
]


@pytest.mark.parametrize(("nodes", "above"), BOUNDARIES)
def test_an_output_depends_on_what_is_computed_with_it(flow_from: FlowFrom, nodes: str, above: str) -> None:
    """Hosts and processes take values, earlier messages were computed then, and a leaky reader may skip this one."""
    flow = flow_from(f"a: {{inputs: source}}\n{nodes}")

    assert names(flow, flow.above[-1]) == above


def test_the_work_of_an_output_counts_what_was_read_later_or_may_be_dropped(flow_from: FlowFrom) -> None:
    """Once a message, whichever message it is of; but what lies behind a node has an evaluation of its own."""
    flow = flow_from(
        "a: {inputs: source}\nb: {inputs: {node: a, leaky: true}}\n"
        "c: {inputs: [{node: b, lag: 2}, {node: d, lag: 1}]}\nd: {inputs: c}"
    )

    assert names(flow, flow.needed[3]) == "a b c d"
    assert names(flow, flow.needed[2]) == "a b c"


def test_tails_are_what_no_later_node_computes_with(flow_from: FlowFrom) -> None:
    """Reading values is no computing with it, and what reads it on the next message makes it no less the end."""
    flow = flow_from(
        "a: {inputs: [source, {node: b, lag: 1}]}\nb: {inputs: a}\nc: {inputs: a, process: p}\n"
        "d: {inputs: b, backend: host}\n"
        "e: {inputs: [source, {node: f, lag: 1}]}\nf: {inputs: source}"
    )

    assert [flow.nodes[number].name for number in flow.tails] == ["b", "c", "e", "f"]


STATES = [
    ("a: {inputs: source, state: carried}\nb: {inputs: a, state: side}", "a b"),
    ("a: {inputs: [source, {node: a, lag: 1}]}\nb: {inputs: a}", "a"),
    ("a: {inputs: [source, {node: b, lag: 3}]}\nb: {inputs: a}\nc: {inputs: b}", "b"),
    ("a: {inputs: source}\nb: {inputs: [a, {node: a, lag: 1}]}", ""),
    ("a: {inputs: [source, {node: b, lag: 1}]}\nb: {inputs: a, backend: host}", ""),
    ("a: {op: sosfilt, inputs: source}\nb: {op: abs, inputs: a}", "a"),
]


@pytest.mark.parametrize(("nodes", "stateful"), STATES)
def test_what_comes_back_to_itself_is_carried(flow_from: FlowFrom, nodes: str, stateful: str) -> None:
    """By its own state or through an earlier message, unless the host reads the values in between."""
    assert " ".join(node.name for node in flow_from(nodes).stateful) == stateful


def test_a_single_pass_carries_nothing(flow_from: FlowFrom) -> None:
    """There is no next message."""
    nodes = "a: {inputs: source, state: carried}"

    assert not flow_from(nodes, "{shape: [1, 1], kind: once}").stateful
    assert flow_from(nodes, "{shape: [1, 1], kind: once, messages: 2}").stateful


EMISSIONS = [
    ("a: {inputs: source, emits: {every: 4}}\nb: {inputs: a, emits: {every: 7}}", (1, 4, 4.0), (4, 28, 28.0)),
    ("a: {inputs: source, emits: {probability: 0.2}}\nb: {inputs: a}", (1, 5, inf), (5, 5, inf)),
    ("a: {inputs: source, emits: {every: 3, probability: 0.5}}\nb: {inputs: a}", (1, 6, inf), (6, 6, inf)),
    ("a: {inputs: source, emits: {every: 4}}\nb: {inputs: [source, a]}", (1, 4, 4.0), (4, 4, 4.0)),
    ("a: {inputs: source, emits: {probability: 1.0}}\nb: {inputs: a}", (1, 1, 1.0), (1, 1, 1.0)),
    ("a: {inputs: source, emits: {every: 4}}\nb: {inputs: [source, {node: a, lag: 1}]}", (1, 4, 4.0), (1, 1, 1.0)),
]


@pytest.mark.parametrize(("nodes", "first", "second"), EMISSIONS)
def test_nodes_run_as_often_as_all_their_inputs_are_there(
    flow_from: FlowFrom, nodes: str, first: tuple[int, int, float], second: tuple[int, int, float]
) -> None:
    """On average, and in the worst pattern, which chance leaves open."""
    found = [(node.runs_every, node.outputs_every, node.silence) for node in flow_from(nodes).nodes]

    assert found == [first, second]


def test_hardly_ever_is_a_number(flow_from: FlowFrom) -> None:
    """However seldom a chain of nodes gives output."""
    flow = flow_from("a: {inputs: source, emits: {every: 1000000000000}, repeat: 40}")

    assert flow.nodes[-1].outputs_every == SELDOM


READS = [
    ("{backend: host, inputs: a}", True),
    ("{inputs: a, process: other}", True),
    ("{inputs: a, forces: on-emit}", True),
    ("{inputs: a, thread: other}", False),
    ("{inputs: a}", False),
    ("{backend: host, inputs: source}", False),
]


@pytest.mark.parametrize(("reader", "reads"), READS)
def test_values_are_read_by_hosts_processes_and_nodes_that_force(flow_from: FlowFrom, reader: str, reads: bool) -> None:
    """The message itself is values already."""
    flow = flow_from(f"a: {{inputs: source}}\nb: {reader}")

    assert flow.reads_values(flow.links[-1]) is reads


@pytest.mark.parametrize(
    ("edge", "says"), [(Edge("c"), "'c', which is no node"), (Edge("b"), "'b', which comes after it; put it first")]
)
def test_graphs_made_by_hand_must_be_in_order(edge: Edge, says: str) -> None:
    """A document is put in order when it is read; a graph that a program makes is refused."""
    graph = Graph(GraphSource(1, 1), (GraphNode("a", (edge,)), GraphNode("b", (Edge("source"),))))

    with pytest.raises(UsageError, match=f"node 'a' reads {says}"):
        flow_of(graph)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_dependents_are_those_that_a_node_is_above(documents: Documents, data: st.DataObject) -> None:
    """Within the message; every further one is some messages later, by way of a lag."""
    flow = flow_of(graph_of(data.draw(documents(8))))

    for node in flow.mlx_nodes:
        found = flow.dependents(node.number)
        at_once = {other.number for other in flow.mlx_nodes if flow.above[other.number] >> node.number & 1}
        assert {number for number, later in found.items() if not later} == at_once
        assert any(link.lag for link in flow.links) or found.keys() == at_once
