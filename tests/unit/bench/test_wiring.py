"""Scenarios written out as pipelines: order, inputs, sources."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.bench.grid import Point, grid_of
from placement_cli.bench.scenario_file import parse_scenario
from placement_cli.bench.wiring import wire, wire_source
from placement_cli.errors import UsageError
from placement_cli.graph.pipeline import SOURCE, Source
from placement_cli.measure.shapes import pipeline_shapes

HEAD = """\
version: 1
name: mine
question: What is it?
reading: stream
source: {chunk: 8x4}
arms: [async]
nodes:
"""


def point_of(nodes: str, source: str = "{chunk: 8x4}") -> Point:
    """Return the only point of a scenario."""
    return next(grid_of(parse_scenario(HEAD.replace("{chunk: 8x4}", source) + nodes, "f")).points())


def test_a_chain_is_written_out() -> None:
    """Each copy reads the one before, and whoever reads the node reads the last."""
    layout = wire(point_of("  a: {op: abs, repeat: 3}\n  b: {op: scale, params: {gain: 2}}\n"))

    assert [(node.name, node.inputs) for node in layout.pipeline.nodes] == [
        ("a.0", ("source",)),
        ("a.1", ("a.0",)),
        ("a.2", ("a.1",)),
        ("b", ("a.2",)),
    ]
    assert layout.copies == {"a": ("a.0", "a.1", "a.2"), "b": ("b",)}
    assert layout.pipeline.node("b").params == {"gain": 2}


def test_neighbours_with_equal_branches_run_branch_by_branch() -> None:
    """A branch is finished before the next begins, each node reads its own branch, and a join reads them all."""
    nodes = "  a: {op: scale, branches: 2}\n  b: {op: abs, branches: 2, repeat: 2}\n  c: {op: join}\n"

    layout = wire(point_of(nodes))

    assert [(node.name, node.inputs) for node in layout.pipeline.nodes] == [
        ("a.0", ("source",)),
        ("b.0.0", ("a.0",)),
        ("b.0.1", ("b.0.0",)),
        ("a.1", ("source",)),
        ("b.1.0", ("a.1",)),
        ("b.1.1", ("b.1.0",)),
        ("c", ("b.0.1", "b.1.1")),
    ]


def test_branches_may_read_what_does_not_branch() -> None:
    """Every branch reads the same node then."""
    layout = wire(point_of("  a: {op: abs}\n  b: {op: abs, branches: 2}\n  c: {op: join, inputs: [a, b]}\n"))

    assert layout.pipeline.node("b.1").inputs == ("a",)
    assert layout.pipeline.node("c").inputs == ("a", "b.0", "b.1")


def test_unequal_branches_cannot_be_put_together() -> None:
    """Which branch would read which is not guessed."""
    nodes = "  a: {op: abs, branches: 2}\n  b: {op: abs, branches: 3}\n"

    with pytest.raises(UsageError) as raised:
        wire(point_of(nodes))

    assert str(raised.value) == (
        "f:9:26: node 'b' has 3 branches, but 'a', which it reads, has 2; expected as many on both, or on one only"
    )


def test_sources_are_read() -> None:
    """A chunk with a range of samples jitters."""
    point = point_of("  a: {op: abs}\n", "{chunk: 30-64x256, dtype: float16}")

    assert wire_source(point) == Source(30, 64, 256, "float16")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{chunk: 8}", "f:5:17: chunk '8' is not SAMPLESxCHANNELS"),
        ("{chunk: 8x4, dtype: float23}", "f:5:29: 'float23' is no element type of a source. Did you mean 'float32'?"),
        ("{chunk: 8x4, dtype: 32}", "f:5:29: '32' is no element type of a source"),
    ],
)
def test_mistakes_in_sources_are_placed(source: str, message: str) -> None:
    """Chunk and element type are checked where they are written."""
    with pytest.raises(UsageError) as raised:
        wire_source(point_of("  a: {op: abs}\n", source))

    assert str(raised.value).startswith(message)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from([None, 1, 2, 3]), st.sampled_from([None, 1, 2])), min_size=1, max_size=5))
def test_every_node_comes_after_its_inputs(shape: list[tuple[int | None, int | None]]) -> None:
    """Whatever repeats and branches, the pipeline is in an order in which it can run, and no name comes twice."""
    lines = []
    for number, (branches, repeat) in enumerate(shape):
        keys = f", branches: {branches}" * (branches is not None) + f", repeat: {repeat}" * (repeat is not None)
        lines.append(f"  n{number}: {{op: abs, inputs: source{keys}}}\n")
        if branches == shape[number - 1][0] and number:
            lines[-1] = lines[-1].replace("inputs: source", f"inputs: n{number - 1}")

    pipeline = wire(point_of("".join(lines))).pipeline

    seen = {SOURCE}
    for node in pipeline.nodes:
        assert set(node.inputs) <= seen
        assert node.name not in seen
        seen.add(node.name)
    assert set(pipeline_shapes(pipeline)) == seen - {SOURCE}
