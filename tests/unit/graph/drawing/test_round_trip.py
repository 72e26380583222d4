"""What is drawn can be imported again: the same nodes, the same edges, the same processes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.graph.drawing.dot import dot_text
from placement_cli.graph.drawing.mermaid import mermaid_text
from placement_cli.graph.graph import Edge, Graph, GraphNode, GraphSource
from placement_cli.graph.importing.dot import read_dot
from placement_cli.graph.importing.imported import Imported
from placement_cli.graph.importing.mermaid import read_mermaid
from placement_cli.graph.mode import ASYNC, OFF, SYNC, every, window
from placement_cli.graph.pipeline import SOURCE

PRINTABLE = st.text(
    st.one_of(st.sampled_from("<>\"'`[](){}|#&;:%\\/=-~"), st.characters(exclude_categories=["C", "Zs", "Zl", "Zp"])),
    min_size=1,
    max_size=12,
)
"""Names of processes, operators and graphs: anything that can be printed."""
NAMES = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,8}", fullmatch=True).filter(lambda name: name != SOURCE)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Graphs with feedback, leaky readers, copies, processes and threads, under hostile names."""
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    nodes = []
    for number, name in enumerate(names):
        earlier = [SOURCE, *names[:number]]
        inputs = [Edge(draw(st.sampled_from(earlier)), leaky=draw(st.booleans()))]
        if draw(st.booleans()):
            inputs.append(Edge(draw(st.sampled_from(names)), lag=draw(st.integers(1, 20))))
        nodes.append(
            GraphNode(
                name=name,
                inputs=tuple(inputs),
                op=draw(st.none() | PRINTABLE),
                repeat=draw(st.integers(1, 3)),
                backend=draw(st.sampled_from(["mlx", "host"])),
                evaluate=draw(st.sampled_from([OFF, ASYNC, SYNC, window(4), every(16)])),
                process=draw(st.just("") | PRINTABLE),
                thread=draw(st.just("") | PRINTABLE),
            )
        )
    return Graph(GraphSource(30, 256), tuple(nodes), name=draw(st.just("") | PRINTABLE))


@pytest.mark.parametrize(("draw", "read"), [(mermaid_text, read_mermaid), (dot_text, read_dot)])
@settings(deadline=None, max_examples=100)
@given(graph=graphs())
def test_a_drawing_imports_as_what_was_drawn(
    draw: Callable[[Graph], str], read: Callable[[str, str], Imported], graph: Graph
) -> None:
    """Names, inputs, lags, leaky readers, copies, backends, processes and threads come back, whatever their names."""
    found = read(draw(graph), "drawing").graph
    assert {node.name: _shown(node) for node in found.nodes} == {node.name: _shown(node) for node in graph.nodes}
    assert found.name == graph.name


def _shown(node: GraphNode) -> tuple[object, ...]:
    return frozenset(node.inputs), node.repeat, node.backend, node.process, node.thread
