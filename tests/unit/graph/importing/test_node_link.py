"""Node-link JSON becomes graphs: topology, and attributes with the names of graph.yaml."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.errors import UsageError
from placement_cli.graph.document.reading import parse_graph
from placement_cli.graph.document.writing import graph_text
from placement_cli.graph.graph import BlockShape, Edge, Emission, GraphNode
from placement_cli.graph.importing.imported import Imported
from placement_cli.graph.importing.node_link import read_node_link
from placement_cli.graph.mode import ASYNC, window

DATA = Path(__file__).parents[3] / "data" / "graphs"


def read(*nodes: dict[str, Any], links: Any = (), **around: Any) -> Imported:
    """Return what is read of these nodes and links."""
    return read_node_link(json.dumps({"nodes": nodes, "links": links, **around}), "f.json")


def test_the_form_of_networkx_is_read() -> None:
    """Ids may be numbers, links have sources and targets, other attributes are nobody's business."""
    imported = read(
        {"id": 0, "label": "filter", "colour": "red"},
        {"id": 1, "size": 3.5},
        links=[{"source": 0, "target": 1, "weight": 0.5, "key": 0}],
        directed=True,
        multigraph=True,
        graph={"name": "two"},
    )
    assert imported.graph.name == "two"
    assert imported.graph.nodes == (
        GraphNode("filter", (Edge("source"),)),
        GraphNode("1", (Edge("filter"),)),
    )


def test_attributes_with_names_of_graph_yaml_are_taken() -> None:
    """A node says as much as it can in graph.yaml."""
    imported = read(
        {"id": "a", "op": "bin", "params": {"size": 90}, "evaluate": "window:4", "process": "p", "thread": 7},
        {
            "id": "b",
            "state": "side",
            "emits": {"probability": 0.25},
            "forces": "on-emit",
            "evaluate": "async",
            "pinned": True,
            "costs": {"device": "17 us", "output": "2 MiB", "ops": 3},
            "blocks": {"count": 8, "shape": [32, 128]},
            "weights": "w.npy",
        },
        links=[{"source": "a", "target": "b", "lag": 2, "leaky": True}],
        graph={"source": {"shape": [30, 64], "rate": 500, "dtype": "float16"}, "deadline_ms": 5, "mem_limit": "1 GiB"},
    )
    first, second = imported.graph.nodes
    assert (first.op, first.params, first.evaluate) == ("bin", {"size": 90}, window(4))
    assert (first.state, first.emits, first.process, first.thread) == ("carried", Emission(every=3), "p", "7")
    assert (second.state, second.emits, second.forces) == ("side", Emission(probability=0.25), "on-emit")
    assert (second.evaluate, second.pinned, second.blocks) == (ASYNC, True, BlockShape(8, 32, 128))
    assert (second.costs.device_s, second.costs.output_bytes, second.costs.ops) == (17e-6, 2 * 1024**2, 3)
    assert second.inputs == (Edge("a", lag=2, leaky=True),)
    assert (imported.graph.source.samples, imported.graph.source.rate) == (30, 500)
    assert (imported.graph.limits.latency_s, imported.graph.limits.memory_bytes) == (0.005, 1024**3)


def test_neutral_names_are_translated() -> None:
    """Exporters count in microseconds and have words of their own."""
    (node,) = read({"id": "a", "state": "const", "emits": "every 5", "forces": "on_emit", "host_us": 30}).graph.nodes
    assert (node.state, node.emits, node.forces) == ("none", Emission(every=5), "on-emit")
    assert node.costs.host_s == pytest.approx(30e-6)


@pytest.mark.parametrize(
    ("attributes", "key"),
    [
        ({"op": "sosfilter"}, "op"),
        ({"op": "bin", "params": {"size": 0}}, "op"),
        ({"state": "solid"}, "state"),
        ({"evaluate": "asinc"}, "evaluate"),
        ({"emits": 3}, "emits"),
        ({"repeat": 10**9}, "repeat"),
        ({"costs": {"device": "fast", "money": 3}}, "costs.device"),
        ({"backend": "host", "evaluate": "sync"}, "evaluate"),
        ({"pinned": True}, "pinned"),
        ({"weights": "w.csv"}, "weights"),
    ],
)
def test_what_does_not_fit_is_left_out_and_told(attributes: dict[str, Any], key: str) -> None:
    """Foreign attributes under the same name, and mistakes, do not stop the import and do not get through."""
    imported = read({"id": "a", **attributes})
    assert parse_graph(graph_text(imported.graph), "g").graph == imported.graph
    assert any(note.startswith("a: ") and f"{key} is left out" in note for note in imported.notes)


def test_an_operator_that_cannot_take_its_inputs_is_left_out() -> None:
    """`join` needs two inputs: without them it is a node of unknown work, and the reason is told."""
    imported = read({"id": "a", "op": "join"})
    assert imported.graph.nodes[0].op is None
    assert any("op join is left out" in note for note in imported.notes)


def test_a_node_called_source_is_the_source() -> None:
    """Exports that show where messages come from do not get a node for it."""
    imported = read({"id": "source"}, {"id": "a"}, links=[{"from": "source", "to": "a"}])
    assert [node.name for node in imported.graph.nodes] == ["a"]


def test_classes_of_ezmsg_are_understood_here_too() -> None:
    """A neutral export of a running system gives the graph that its snapshot gives."""
    imported = read_node_link((DATA / "demo_neutral.json").read_text(), "demo_neutral.json")
    nodes = {node.name: node for node in imported.graph.nodes}
    assert nodes["RECT"].op == "abs"
    assert nodes["RECT"].evaluate == ASYNC
    assert nodes["BP"].forces == "always"
    assert nodes["BIN"].emits == Emission(every=5)
    assert nodes["VIEW"].inputs == (Edge("RECT", leaky=True),)
    assert len({node.process for node in imported.graph.nodes}) == 3
    assert "MAT" not in nodes


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "f.json:1:2: is not JSON"),
        ("[]", "f.json: the document: expected node-link JSON"),
        ('{"nodes": 3}', "f.json: nodes: expected a list"),
        ('{"nodes": [3]}', "f.json: nodes[0]: expected a mapping"),
        ('{"nodes": [{}]}', "f.json: nodes[0].id: expected the id"),
        ('{"nodes": [{"id": 1}, {"id": 1}]}', "f.json: nodes[1].id: is the same"),
        (
            '{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}',
            "f.json: links[0].target: '2' is the id of no",
        ),
        ('{"nodes": []}', "f.json: holds no nodes"),
        ('{"nodes": [{"id": NaN}]}', "f.json: NaN is no number"),
        ("[" * 100_000, "f.json:1:65: nested deeper"),
    ],
)
def test_what_is_no_node_link_json_is_refused_with_its_place(text: str, says: str) -> None:
    """Syntax errors have line and column, others the way to the value."""
    with pytest.raises(UsageError) as caught:
        read_node_link(text, "f.json")
    assert str(caught.value).startswith(says)


KEYS = [
    "op",
    "params",
    "state",
    "emits",
    "forces",
    "evaluate",
    "costs",
    "repeat",
    "process",
    "blocks",
    "type",
    "settings",
]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["bin", "abs", "carried", "every 3", "sync", "ezmsg.sigproc.window.Window", "\ud800"])
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from([*KEYS, "every", "size"]), inner, max_size=3)
    ),
    max_leaves=5,
)


@settings(deadline=None, max_examples=200)
@given(
    nodes=st.lists(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=4), min_size=1, max_size=4),
    links=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=6),
)
def test_whatever_the_attributes_the_graph_is_one_that_graph_yaml_can_hold(
    nodes: list[dict[str, Any]], links: list[tuple[int, int]]
) -> None:
    """Any JSON gives a graph that is written and read back as it is, or one UsageError."""
    document = {
        "nodes": [{**node, "id": number} for number, node in enumerate(nodes)],
        "links": [{"source": tail, "target": head} for tail, head in links],
    }
    text = json.dumps(document).replace("NaN", "1").replace("-Infinity", "1").replace("Infinity", "1e999")
    with suppress(UsageError):
        graph = read_node_link(text, "f.json").graph
        assert parse_graph(graph_text(graph), "g").graph == graph
