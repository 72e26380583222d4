"""Advice as ezmsg: what is printed imports, its units run, and its edges lead through them."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Sequence
from typing import Any

import ezmsg.core as ez
import mlx.core as mx
import pytest
from ezmsg.core.backend import ExecutionContext
from ezmsg.sigproc.materialize import Materialize, MaterializeMode, MaterializeSettings
from ezmsg.util.messages.axisarray import AxisArray
from syrupy.assertion import SnapshotAssertion

from placement_cli.export.emit_ezmsg import emit_ezmsg
from placement_cli.graph.graph import Edge, Graph, GraphNode, GraphSource
from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode, every, window

HOSTILE = 'a\nraise SystemExit(\'"""\r\f\x00\u2028\u202e\ud800 # coding: utf-7 +AAo-raise'


def chain(*names: str) -> Graph:
    """Nodes that read one another in this order."""
    reads = ["source", *names]
    return Graph(GraphSource(30, 64), tuple(GraphNode(name, (Edge(reads[at]),)) for at, name in enumerate(names)))


FAN = Graph(
    GraphSource(30, 64),
    (
        GraphNode("filter", (Edge("source"),), state="side"),
        GraphNode("layer", (Edge("filter"), Edge("filter", lag=1)), repeat=2),
        GraphNode("left", (Edge("layer"),)),
        GraphNode("right", (Edge("layer"), Edge("source"))),
        GraphNode("decode", (Edge("left"), Edge("right")), backend="host"),
    ),
)
ADVISED = {"filter": OFF, "layer": ASYNC, "left": window(2), "right": every(4)}
TODAY = {"filter": SYNC, "layer": OFF, "left": SYNC, "right": OFF}


def run(text: str) -> dict[str, Any]:
    """Execute the source as a file would be, and return its names."""
    names: dict[str, Any] = {"__name__": "points"}
    exec(compile(text.encode(), "points.py", "exec", dont_inherit=True), names)
    return names


def collection(text: str, units: Sequence[str]) -> Any:
    """Return a Collection with these units, derived from the printed one as its comment says."""

    def network(self: Any) -> Any:
        return self.evaluation_edges()

    fields = {name: Materialize(MaterializeSettings(mode=MaterializeMode.OFF)) for name in units}
    return type("Mine", (run(text)["EvaluationPoints"],), fields | {"network": network})()


def edges(made: ez.Collection) -> list[tuple[str, str]]:
    """Return the edges of a collection as the runtime sees them, by the names of units."""
    context = ExecutionContext.setup({"S": made})
    assert context is not None
    return [(out.split("/")[1], into.split("/")[1]) for out, into in context.connections]


def test_what_is_printed(snapshot: SnapshotAssertion) -> None:
    """The source is as it was looked at and found good."""
    assert emit_ezmsg(FAN, ADVISED, TODAY) == snapshot


def test_edges_lead_from_a_node_through_its_unit_to_its_readers() -> None:
    """Copies read one another, the next node reads the last of them, and whoever reads twice has one edge."""
    units = ("FILTER", "LAYER_0", "LAYER_1", "LEFT", "RIGHT", "DECODE")
    assert edges(collection(emit_ezmsg(FAN, ADVISED, TODAY), units)) == [
        ("LAYER_0", "MAT_LAYER_0"),
        ("MAT_LAYER_0", "LAYER_1"),
        ("LAYER_1", "MAT_LAYER_1"),
        ("MAT_LAYER_1", "LEFT"),
        ("MAT_LAYER_1", "RIGHT"),
        ("LEFT", "MAT_LEFT"),
        ("MAT_LEFT", "DECODE"),
        ("RIGHT", "MAT_RIGHT"),
        ("MAT_RIGHT", "DECODE"),
    ]


@pytest.mark.parametrize(("mode", "member"), [(ASYNC, MaterializeMode.ASYNC), (SYNC, MaterializeMode.SYNC)])
def test_modes_that_materialize_has_are_its_settings(mode: Mode, member: MaterializeMode) -> None:
    """The unit is ezmsg-sigproc's own."""
    made = collection(emit_ezmsg(chain("a", "b"), {"a": mode}, {}), ("A", "B"))
    unit = made.components["MAT_A"]
    assert isinstance(unit, Materialize)
    assert unit.SETTINGS.mode is member


@pytest.mark.parametrize(("mode", "state"), [(window(2), "RunAheadWindow(2)"), (every(3), "EvaluateEvery(3)")])
def test_other_modes_are_units_that_count_messages(mode: Mode, state: str) -> None:
    """They hand on the message itself, of any shape, and keep their count."""
    made = collection(emit_ezmsg(chain("a"), {"a": mode}, {}), ("A",))
    unit = made.components["MAT_A"]
    unit.create_processor()
    for length in (3, 4, 3):
        message = AxisArray(data=mx.negative(mx.ones((length, 2))), dims=["time", "ch"])
        assert asyncio.run(unit.processor.__acall__(message)) is message
    point = unit.processor.state.point
    assert repr(point) == state
    assert (point.in_flight if mode.kind == "window" else point.pending) == mode.depth % 3


def test_what_cannot_be_added_is_said() -> None:
    """A point to take away, one to change in place, a state no unit sees, and what a unit costs."""
    text = emit_ezmsg(FAN, ADVISED, TODAY)
    assert "# 'filter': sync -> off (take its Materialize unit out" in text
    assert "# 'left': sync -> window:2 (a unit that evaluates there already" in text
    assert "'filter' carries a state that its output does not depend on." in text
    assert "30-52 us" in text


def test_a_graph_to_leave_alone_gives_comments() -> None:
    """And so does one where points only go."""
    for placement in ({"a": SYNC}, {"a": OFF}):
        assert ast.parse(emit_ezmsg(chain("a"), placement, {"a": SYNC})).body == []
    assert "Nothing to change" in emit_ezmsg(chain("a"), {"a": SYNC}, {"a": SYNC})


@pytest.mark.parametrize("mode", [ASYNC, window(2)])
def test_names_are_data(mode: Mode) -> None:
    """Newlines, quotes, controls and encodings never leave comments; no two units are alike."""
    names = (HOSTILE, "class", "mat class", "MAT_CLASS", "2", "名前")
    text = emit_ezmsg(chain(*names), dict.fromkeys(names, mode), {})
    body = ast.parse(text.encode()).body
    assert {type(part) for part in body} <= {ast.Import, ast.ImportFrom, ast.ClassDef}
    units = run(text)["EvaluationPoints"].__components__
    assert len(units) == len(names)
