"""Drawings in DOT show where a graph evaluates, and take every name as data."""

from __future__ import annotations

from placement_cli.graph.drawing.dot import dot_text
from placement_cli.graph.graph import Edge, Graph, GraphNode, GraphSource
from placement_cli.graph.mode import ASYNC


def test_the_drawing_of_a_chain() -> None:
    """Modes stand in the label and colour the node; processes are clusters, host nodes hexagons."""
    graph = Graph(
        GraphSource(30, 256),
        (
            GraphNode("filter", (Edge("source"),), op="sosfilt"),
            GraphNode("decode", (Edge("filter", leaky=True),), backend="host", process="second"),
        ),
        name="two",
    )
    assert dot_text(graph, {"filter": ASYNC}) == (
        "digraph {\n"
        "  rankdir=LR;\n"
        "  node [shape=box];\n"
        '  label="two"; labelloc=t;\n'
        '  source [label="source\\n30 x 256 float32", shape=oval];\n'
        '  n0 [label="filter\\nsosfilt\\nASYNC", style=filled, fillcolor="#d9e8fb", color="#1f5fa8"];\n'
        "  subgraph cluster_0 {\n"
        '    label="process second";\n'
        '    n1 [label="decode\\nhost", shape=hexagon];\n'
        "  }\n"
        "  source -> n0;\n"
        '  n0 -> n1 [label="leaky", style=dashed];\n'
        "}\n"
    )


def test_hostile_names_stay_text() -> None:
    """Quotes, escapes and entities in names mean themselves."""
    node = GraphNode("a", (Edge("source"),), op='x"; b [URL="y"] \\N &lt;')
    text = dot_text(Graph(GraphSource(1, 1), (node,), name='"} digraph {'))
    assert '\n  label="\\"} digraph {"; labelloc=t;\n' in text
    assert 'label="a\\nx\\"; b [URL=\\"y\\"] \\\\N &amp;lt;"' in text
