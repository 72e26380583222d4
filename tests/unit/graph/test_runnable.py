"""Graphs as pipelines that a bench runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.graph.graph import Costs, Edge, Emission, Graph, GraphNode, GraphSource
from placement_cli.graph.mode import ASYNC, OFF, SYNC, window
from placement_cli.graph.pipeline import SOURCE, Node, Pipeline, Source
from placement_cli.graph.runnable import Runnable, runnable
from placement_cli.operators.catalog import find_operator

SMALL = GraphSource(8, 4)


def node(name: str, reads: str | Sequence[str] = SOURCE, op: str | None = "abs", **facts: Any) -> GraphNode:
    """Return a node that reads one name or several."""
    names = [reads] if isinstance(reads, str) else reads
    return GraphNode(name, tuple(Edge(each) for each in names), op, **facts)


def host(name: str, reads: str | Sequence[str], host_s: float | None = 2e-3, **facts: Any) -> GraphNode:
    """Return a host node without an operator."""
    return node(name, reads, None, backend="host", costs=Costs(host_s=host_s), **facts)


def run(*nodes: GraphNode, source: GraphSource = SMALL) -> Runnable:
    """Return the graph of `nodes` as it can be run."""
    return runnable(Graph(source, nodes))


def shown(made: Runnable) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return (name, op, inputs) of the pipeline's nodes."""
    return [(each.name, each.op, each.inputs) for each in made.pipeline.nodes]


def test_mlx_nodes_run_their_operators() -> None:
    """A chain stays a chain, with its source and parameters."""
    made = run(node("gain", op="scale", params={"gain": 2.0}), node("rectify", "gain"))
    assert made.pipeline == Pipeline(
        Source(8, 8, 4), (Node("gain", "scale", (SOURCE,), {"gain": 2.0}), Node("rectify", "abs", ("gain",)))
    )
    assert made.notes == ()


def test_repeated_nodes_are_chains_of_copies() -> None:
    """Who reads the node reads the last copy; every copy has the node's point."""
    made = run(node("a", repeat=2, evaluate=ASYNC), node("b", "a"))
    assert shown(made) == [("a.0", "abs", (SOURCE,)), ("a.1", "abs", ("a.0",)), ("b", "abs", ("a.1",))]
    assert made.copies == {"a": ("a.0", "a.1"), "b": ("b",)}
    assert made.current == {"a.0": ASYNC, "a.1": ASYNC, "b": OFF}


def test_a_host_node_reads_all_values_before_it_works() -> None:
    """Each MLX input is a conversion that waits, where the host node stands; then comes its work."""
    made = run(node("a"), node("b"), host("decode", ["a", "b"]), node("c", "b"))
    assert shown(made) == [
        ("a", "abs", (SOURCE,)),
        ("b", "abs", (SOURCE,)),
        ("a.values", "values", ("a",)),
        ("b.values", "values", ("b",)),
        ("decode", "host", ("a.values",)),
        ("c", "abs", ("b",)),
    ]
    assert made.pipeline.node("decode").params == {"kind": "python", "length_ms": 2.0}
    assert made.copies["decode"] == ("a.values", "b.values", "decode")
    assert "decode" not in made.current


def test_values_are_read_once() -> None:
    """The second host node finds them there."""
    made = run(node("a"), host("one", "a"), host("two", "a"), host("three", "one"))
    assert [name for name, op, _ in shown(made) if op == "values"] == ["a.values"]
    assert made.pipeline.node("three").inputs == ("a.values",)


def test_a_host_node_on_the_source_reads_nothing() -> None:
    """The message is there: this is other work beside the pipeline."""
    made = run(node("a"), host("other", SOURCE))
    assert shown(made)[1:] == [("other", "host", (SOURCE,))]


def test_an_mlx_node_behind_a_host_node_takes_the_array_from_before() -> None:
    """Its values are there, and what the run leaves out is told."""
    made = run(node("a"), host("between", "a"), node("b", "between"))
    assert shown(made)[-1] == ("b", "abs", ("a",))
    assert made.notes == ("Node 'b': goes on with the array that the host node before it was given.",)


def test_unknown_host_work_is_left_out_and_told() -> None:
    """The boundary stays."""
    made = run(node("a"), host("decode", "a", host_s=None))
    assert [op for _, op, _ in shown(made)] == ["abs", "values"]
    assert made.notes == ("Node 'decode': the values are read, but its work is not known and is left out.",)


def test_host_time_of_an_mlx_node_comes_before_it_is_built() -> None:
    """So a point at its output cannot overlap it; nothing else reads that work."""
    made = run(node("a"), node("b", "a", costs=Costs(host_s=1e-4)))
    assert shown(made)[1:] == [("b.host", "host", ("a",)), ("b", "abs", ("b.host",))]


@pytest.mark.parametrize(
    ("params", "costs", "work"),
    [
        ({"kind": "sleep", "length_ms": 3.0}, Costs(), {"kind": "sleep", "length_ms": 3.0, "amount": 0}),
        ({"kind": "sleep", "length_ms": 3.0}, Costs(host_s=1e-3), {"kind": "sleep", "length_ms": 1.0}),
    ],
)
def test_the_operator_host_works_as_its_parameters_say(
    params: dict[str, Any], costs: Costs, work: dict[str, Any]
) -> None:
    """Known costs override its length; as every host node it reads the values first."""
    made = run(node("a"), node("work", "a", "host", params=params, costs=costs, backend="host"))
    assert [op for _, op, _ in shown(made)] == ["abs", "values", "host"]
    assert dict(made.pipeline.node("work").params) == work


def test_an_edge_between_processes_reads_the_values_at_the_sender() -> None:
    """Right after they are built, once for all readers, and never within one process."""
    made = run(node("a", process="x"), node("b", "a", process="x"), node("c", "b", process="y"), node("d", "b"))
    assert [name for name, _, _ in shown(made)] == ["a", "b", "b.values", "c", "d"]
    assert made.notes == ("All processes run as one: an edge between two reads the values, but the hop is left out.",)


@pytest.mark.parametrize("forces", ["always", "on-emit"])
def test_a_node_that_forces_reads_its_own_values(forces: Any) -> None:
    """A hidden synchronisation waits here too."""
    assert shown(run(node("a", forces=forces), node("b", "a")))[1] == ("a.values", "values", ("a",))


def test_added_nodes_take_no_name_that_is_there() -> None:
    """Names of the graph win."""
    made = run(node("a"), node("a.values", "a"), host("decode", "a"))
    assert made.pipeline.node("a.values").op == "abs"
    assert made.pipeline.node("a.values_").op == "values"


def test_pinned_points_are_told_apart() -> None:
    """Only a point can be pinned."""
    made = run(node("a", evaluate=SYNC, pinned=True), node("b", "a", pinned=True), node("c", "b", evaluate=window(2)))
    assert made.pinned == {"a": SYNC}
    assert made.current == {"a": SYNC, "b": OFF, "c": window(2)}


NAMES = ("a", "b", "c", "d", "e")


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Return a graph of MLX and host nodes in any order that reads only what came before."""
    nodes: list[GraphNode] = []
    for index in range(draw(st.integers(1, len(NAMES)))):
        known = [SOURCE, *NAMES[:index]]
        made = host if index and draw(st.booleans()) else node
        read = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3 if made is host else 1))
        drawn = made(NAMES[index], read, repeat=draw(st.integers(1, 3)), process=draw(st.sampled_from(["", "x"])))
        nodes.append(replace(drawn, emits=Emission(every=2) if made is host else drawn.emits))
    return Graph(SMALL, tuple(nodes))


@given(graphs())
@settings(deadline=None)
def test_every_graph_of_known_work_becomes_a_pipeline_in_order(graph: Graph) -> None:
    """Nodes read what comes before, MLX work never reads NumPy, and whatever a host node works on is NumPy."""
    made = runnable(graph)
    numpy: dict[str, bool] = {SOURCE: False}
    for each in made.pipeline.nodes:
        assert each.name not in numpy
        reads = [numpy[name] for name in each.inputs]
        if find_operator(each.op).backend == "mlx":
            assert not any(reads)
        numpy[each.name] = each.op == "values" or (each.op == "host" and all(reads))
        if each.op == "host":
            assert numpy[each.name] or each.inputs == (SOURCE,) or made.pipeline.node(each.inputs[0]).op == "host"
    assert set(made.current) == {n for n, is_numpy in numpy.items() if n != SOURCE and _is_mlx(made, n)}
    assert all(set(names) <= numpy.keys() for names in made.copies.values())


def _is_mlx(made: Runnable, name: str) -> bool:
    return find_operator(made.pipeline.node(name).op).backend == "mlx"
