"""What is written says what differs from the defaults, and reads back to the same graph."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.errors import UsageError
from placement_cli.graph.document.reading import graph_of, parse_graph
from placement_cli.graph.document.writing import graph_text, to_document
from placement_cli.graph.graph import Edge, Emission, Graph, GraphNode, GraphSource

BAND_POWER = """\
version: 1
name: band power
device: gpu
source:
  shape: [30, 256]
  rate: 1000
  messages: 400
platform: {gpu: metal, mlx: 0.32.4}
limits:
  memory: 512 MiB
  latency: 5 ms
observed: {step: 2.5 s, device_busy: 0.1, active: 3 GiB}
nodes:
  filter:  {op: sosfilt, params: {sections: 2}, inputs: source}
  scale:   {op: ewm_scaler, inputs: filter, evaluate: window:4}
  rectify: {op: abs, inputs: scale, evaluate: sync, pinned: true}
  bins:    {op: bin, params: {size: 50}, inputs: [{node: rectify, leaky: true}]}
  decode:  {backend: host, inputs: [bins, {node: rectify, lag: 1}], costs: {host: 2 ms, output: 33 MiB}}
"""


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_what_is_written_reads_back_to_the_same_graph(graphs: st.SearchStrategy[Graph], data: st.DataObject) -> None:
    """As text and as a mapping, whatever the graph."""
    graph = data.draw(graphs)

    assert parse_graph(graph_text(graph), "f").graph == graph
    assert graph_of(to_document(graph)) == graph


def test_a_document_in_the_usual_form_is_written_as_it_was() -> None:
    """Nodes stand in one line each with their values in one column, and defaults are left out."""
    assert graph_text(parse_graph(BAND_POWER, "f").graph) == BAND_POWER


def test_what_follows_from_the_operator_is_left_out() -> None:
    """A filter carries state, a bin of 50 fed with 20 withholds two messages of three; only what differs is said."""
    source = GraphSource(20, 4)
    usual = GraphNode("a", (Edge("source"),), op="bin", state="carried", emits=Emission(3))
    other = GraphNode("b", (Edge("source"),), op="bin", state="none", emits=Emission(4))

    nodes = to_document(Graph(source, (usual, other)))["nodes"]

    assert nodes["a"] == {"op": "bin", "inputs": "source"}
    assert nodes["b"] == {"op": "bin", "inputs": "source", "state": "none", "emits": {"every": 4}}


def test_a_long_node_is_broken_between_its_entries() -> None:
    """No line is longer than 120 characters where an entry is not, and the document reads back."""
    words = {"process": "p" * 60, "thread": "t" * 60, "stream": "s" * 60}
    graph = Graph(GraphSource(1, 1), (GraphNode("encoder", (Edge("source"),), **words),))

    text = graph_text(graph)

    assert text.splitlines()[4:] == [
        f"  encoder: {{inputs: source, process: {'p' * 60},",
        f"      thread: {'t' * 60},",
        f"      stream: {'s' * 60}}}",
    ]
    assert parse_graph(text, "f").graph == graph


@pytest.mark.parametrize("name", ["off", "null", "Yes", "1", "1e5", "0x1f", "2020-01-01", "a"])
def test_names_that_yaml_could_misread_are_quoted(name: str) -> None:
    """Any reader of YAML takes the name of a node, of a stream and of the graph for text."""
    graph = Graph(GraphSource(1, 1), (GraphNode(name, (Edge("source"),), stream=name),), name=name)
    text = graph_text(graph)

    assert (f'"{name}":' in text) == (name != "a")
    assert parse_graph(text, "f").graph == graph


def test_a_graph_that_no_document_describes_is_refused() -> None:
    """An operator that does not exist has no defaults."""
    graph = Graph(GraphSource(1, 1), (GraphNode("a", (Edge("source"),), op="sosfit"),))

    with pytest.raises(UsageError, match="Did you mean 'sosfilt'"):
        to_document(graph)
