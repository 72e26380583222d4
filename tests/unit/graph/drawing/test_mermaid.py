"""Flowcharts show where a graph evaluates, and take every name as data."""

from __future__ import annotations

from placement_cli.graph.drawing.mermaid import mermaid_text
from placement_cli.graph.graph import Edge, Graph, GraphNode, GraphSource
from placement_cli.graph.mode import ASYNC, SYNC, window

CHAIN = Graph(
    GraphSource(30, 256, rate=1000.0, kind="live"),
    (
        GraphNode("filter", (Edge("source"),), op="sosfilt", evaluate=SYNC),
        GraphNode("blocks", (Edge("filter"),), repeat=3, process="second", thread="worker"),
        GraphNode("decode", (Edge("blocks"), Edge("decode", lag=1)), backend="host", process="second"),
    ),
)


def test_the_drawing_of_a_chain() -> None:
    """Modes stand in the label and colour the node; processes and threads are frames, host nodes hexagons."""
    assert mermaid_text(CHAIN) == (
        "flowchart LR\n"
        '  source(["source<br/>30 x 256 float32<br/>1000 a second"])\n'
        '  n0["filter<br/>sosfilt<br/>SYNC"]\n'
        '  subgraph g0["process second"]\n'
        '    n2{{"decode<br/>host"}}\n'
        '    subgraph g0_0["thread worker"]\n'
        '      n1["blocks #215; 3"]\n'
        "    end\n"
        "  end\n"
        "  source --> n0\n"
        "  n0 --> n1\n"
        "  n1 --> n2\n"
        '  n2 -.->|"lag 1"| n2\n'
        "  classDef sync fill:#fbdcd5,stroke:#a8341f,color:#3f1610\n"
        "  class n0 sync\n"
    )


def test_given_modes_replace_those_of_the_graph() -> None:
    """Advised modes are drawn instead; copies that differ are counted."""
    text = mermaid_text(CHAIN, {"filter": window(4), "blocks.1": ASYNC})
    assert "SYNC<" not in text
    assert '"filter<br/>sosfilt<br/>WINDOW#58;4"' in text
    assert '"blocks #215; 3<br/>ASYNC at 1 of 3"' in text
    assert "class n1 async" in text


def test_hostile_names_stay_text() -> None:
    """Markup, quotes and words of the language in names and operators mean nothing in the drawing."""
    hostile = '"]; end <script>alert(1)</script> `x` %%{init}%%'
    node = GraphNode("end", (Edge("source"),), op=hostile, process=hostile)
    text = mermaid_text(Graph(GraphSource(1, 1), (node,), name=hostile))
    _, _, drawing = text.partition("flowchart LR")
    assert "<script" not in drawing
    assert "%%" not in drawing
    assert drawing.count('"') == 2 * len(["source", "process", "node"])
