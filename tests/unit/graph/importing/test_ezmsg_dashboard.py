"""What the dashboard of ezmsg saves becomes graphs: classes, settings, processes and counts are understood."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from placement_cli.errors import UsageError
from placement_cli.graph.document.reading import parse_graph
from placement_cli.graph.document.writing import graph_text
from placement_cli.graph.graph import Edge, Emission
from placement_cli.graph.importing.ezmsg_dashboard import read_ezmsg_dashboard
from placement_cli.graph.importing.imported import Asked, Imported, SourceFacts
from placement_cli.graph.mode import ASYNC, OFF, SYNC

DATA = Path(__file__).parents[3] / "data" / "graphs"
SNAPSHOT = json.loads((DATA / "dashboard_snapshot.json").read_text())
FAST = Asked(SourceFacts(20, 64, 100.0))
"""Messages of 20 samples at 2 kHz."""


def drafted(*units: tuple[str, str, dict[str, Any]], edges: str = "", external: str = "") -> Imported:
    """Return what is read of a graph document with these units (name, class, settings) and edges such as `ab bc`."""
    document = {
        "version": 1,
        "nodes": [
            {"id": name, "name": name, "component": {"value": kind}, "settings": given} for name, kind, given in units
        ],
        "edges": [{"source": edge[0], "target": edge[1]} for edge in edges.split()],
        "external_inputs": [{"topic": "T", "target": name} for name in external],
    }
    return read_ezmsg_dashboard(json.dumps(document), "f.json", FAST)


MLX = ("m", "ezmsg.sigproc.asarray:AsArray", {"backend": "mlx"})
ABS = ("a", "ezmsg.sigproc.math.abs:Abs", {})


def point(name: str, mode: str) -> tuple[str, str, dict[str, Any]]:
    """Return a Materialize unit."""
    return name, "ezmsg.sigproc.materialize:Materialize", {"mode": mode}


@pytest.mark.parametrize("document", [SNAPSHOT, SNAPSHOT["snapshot"]])
def test_a_snapshot_of_a_running_system(document: dict[str, Any]) -> None:
    """Units, operators, evaluation points, processes, leaky readers and the source are found, settings or not."""
    imported = read_ezmsg_dashboard(json.dumps(document), "snapshot.json")
    nodes = {node.name: node for node in imported.graph.nodes}
    assert list(nodes) == ["TOMX", "BP", "CAR", "RECT", "BIN", "W", "OUT", "VIEW"]
    assert (imported.graph.source.samples, imported.graph.source.channels) == (20, 64)
    assert imported.graph.source.rate == 100
    assert [nodes[name].op for name in ("CAR", "RECT", "BIN", "W")] == ["car", "abs", "bin", "affine"]
    assert nodes["RECT"].evaluate == ASYNC
    assert nodes["BP"].forces == "always"
    assert nodes["BIN"].emits == Emission(every=5)
    assert nodes["W"].params == {"outputs": 2}
    assert nodes["VIEW"].inputs == (Edge("RECT", leaky=True),)
    assert [nodes[name].process for name in ("TOMX", "W", "VIEW")] == ["process-1", "process-2", "process-3"]
    assert nodes["OUT"].backend == "host"
    assert parse_graph(graph_text(imported.graph), "g").graph == imported.graph


def test_what_was_seen_at_run_time_goes_before_what_settings_say() -> None:
    """Counts of messages tell how often a unit withheld its output."""
    document = json.loads(json.dumps(SNAPSHOT))
    for process in document["profiling"].values():
        for publisher in process["publishers"].values():
            if publisher["topic"] == "SYS/FEAT/CAR/OUTPUT_SIGNAL":
                publisher["messages_published_total"] = 231
    imported = read_ezmsg_dashboard(json.dumps(document), "snapshot.json")
    assert imported.graph.node("CAR").emits.share == pytest.approx(231 / 731)


def test_a_graph_document_of_the_builder() -> None:
    """Materialize becomes a mode, and what only the person knows is asked for."""
    imported = read_ezmsg_dashboard((DATA / "dashboard_graph_document.json").read_text(), "document.json")
    assert [(node.name, node.evaluate) for node in imported.graph.nodes] == [
        ("TOMX", OFF),
        ("CAR", ASYNC),
        ("BIN", OFF),
    ]
    assert imported.graph.node("BIN").emits == Emission(probability=0.5)
    assert any("BIN" in note and "assumed" in note for note in imported.notes)
    assert any("--source-shape" in note for note in imported.notes)


def test_the_shape_that_is_asked_for_tells_how_often_bins_are_full() -> None:
    """With samples and rate, settings in seconds are counts of samples."""
    text = (DATA / "dashboard_graph_document.json").read_text()
    node = read_ezmsg_dashboard(text, "document.json", FAST).graph.node("BIN")
    assert (node.op, node.params, node.emits) == ("bin", {"size": 100}, Emission(every=5))


def test_points_behind_each_other_and_before_branches() -> None:
    """Of two points at one output the stronger stays, and readers behind them read the node itself."""
    imported = drafted(
        MLX, ABS, point("p", "async"), point("q", "sync"), ("b", *ABS[1:]), edges="ma ap pq qb", external="m"
    )
    assert [(node.name, node.evaluate) for node in imported.graph.nodes] == [("m", OFF), ("a", SYNC), ("b", OFF)]
    assert imported.graph.node("b").inputs == (Edge("a"),)


def test_a_point_where_values_are_there_is_left_out() -> None:
    """Materialize before the conversion to MLX does nothing, and a note says so."""
    imported = drafted(point("p", "sync"), MLX, edges="pm", external="p")
    assert [node.name for node in imported.graph.nodes] == ["m"]
    assert any("p: evaluates what is there already" in note for note in imported.notes)


def test_what_comes_before_mlx_and_behind_numpy_is_host_work() -> None:
    """Conversions decide which units have anything to do with MLX."""
    back = ("n", "ezmsg.sigproc.asarray:AsArray", {"backend": "numpy"})
    imported = drafted(ABS, MLX, ("b", *ABS[1:]), back, ("c", *ABS[1:]), edges="am mb bn nc", external="a")
    assert {node.name: node.backend for node in imported.graph.nodes} == {
        "a": "host",
        "m": "mlx",
        "b": "mlx",
        "n": "host",
        "c": "host",
    }


def test_feedback_reads_the_message_before() -> None:
    """Graphs of ezmsg may have cycles."""
    imported = drafted(MLX, ABS, ("b", *ABS[1:]), edges="ma ab ba", external="m")
    assert Edge("b", lag=1) in imported.graph.node("a").inputs
    assert imported.graph.node("a").op is None
    assert any("several units send to it" in note for note in imported.notes)


def test_two_units_that_only_send_are_no_source() -> None:
    """Where it is not clear what the source is, both stay nodes that read it."""
    imported = drafted(("s", "mine.Src", {}), ("t", "mine.Src", {}), MLX, edges="sm tm")
    assert [node.name for node in imported.graph.nodes] == ["s", "t", "m"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "f.json: the document: expected a graph document"),
        ('{"version": 2, "nodes": []}', "f.json: version: expected 1"),
        ('{"version": 1, "nodes": []}', "f.json: holds no nodes"),
        ('{"version": 1, "nodes": [{"id": 3}]}', "f.json: nodes[0].id: expected text"),
        ('{"version": 1, "nodes": [{"id": "a"}, {"id": "a"}]}', "f.json: nodes[1].id: is the same"),
        ('{"version": 1, "nodes": [{"id": "a", "settings": 3}]}', "f.json: nodes[0].settings: expected a mapping"),
        (
            '{"version": 1, "nodes": [{"id": "a"}], "edges": [{"source": "b"}]}',
            "f.json: edges[0].source: 'b' is the id of no",
        ),
        ('{"snapshot": {"graph": {"a": [[]]}}}', "f.json: snapshot.graph.a[0]: expected text"),
        ('{"snapshot": {"sessions": []}}', "f.json: snapshot.sessions: expected a mapping"),
        ('{"snapshot": {}}', "f.json: holds no nodes"),
    ],
)
def test_what_is_no_export_is_refused_with_its_place(text: str, says: str) -> None:
    """One error says where in the document what was expected."""
    with pytest.raises(UsageError) as caught:
        read_ezmsg_dashboard(text, "f.json")
    assert str(caught.value).startswith(says)
