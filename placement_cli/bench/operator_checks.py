"""Checks nodes against the operators they use: names, parameters, numbers of inputs, shapes, host and device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from placement_cli.bench.grid import Point
from placement_cli.bench.scenario_schema import NodeEntry
from placement_cli.errors import UsageError
from placement_cli.graph.pipeline import SOURCE, Node, ParameterValue, Pipeline
from placement_cli.located.places import at
from placement_cli.measure.shapes import node_features
from placement_cli.operators.catalog import find_operator
from placement_cli.operators.given import check_given
from placement_cli.operators.operator import Operator, Shape
from placement_cli.operators.values import VALUES


@dataclass(frozen=True, slots=True)
class Work:
    """The operator of a declared node and the parameters given for it."""

    operator: Operator
    params: Mapping[str, ParameterValue]


def work_of(point: Point, name: str, entry: NodeEntry) -> Work:
    """Return what the node `name` does at `point`; raises UsageError for unknown names and values out of bounds."""
    op = point.given(entry.op, "nodes", name, "op")
    with at(op.place):
        operator = find_operator(str(op.value))
    given = {key: point.given(value, "nodes", name, "params", key) for key, value in entry.params.items()}
    places = point.grid.places
    check_given(
        operator,
        given,
        key_place=lambda key: places.of_key("nodes", name, "params", key),
        place=places.of("nodes", name, "params"),
    )
    return Work(operator, {key: each.value for key, each in given.items()})


def check_wired(point: Point, pipeline: Pipeline, owners: Sequence[str], works: Mapping[str, Work]) -> None:
    """Check every node of `pipeline` against what it reads; `owners` names the declared node of each."""
    source = pipeline.source
    shapes: dict[str, Shape] = {SOURCE: (source.samples_high, source.channels)}
    converted: set[str] = set()
    for node, owner in zip(pipeline.nodes, owners, strict=True):
        operator = works[owner].operator
        with at(f"{point.grid.places.of('nodes', owner, 'inputs')}: node {node.name!r}"):
            _check_host(node, operator, converted)
            shapes[node.name] = node_features(node, tuple(shapes[name] for name in node.inputs), source.dtype).output
    if all(works[owner].operator.backend == "host" for owner in owners):
        raise point.grid.places.error(("nodes",), "no node does MLX work, so there is nothing to evaluate")


def _check_host(node: Node, operator: Operator, converted: set[str]) -> None:
    """Refuse MLX work on values that were converted to NumPy; notes in `converted` what `node` hands on."""
    taken = [name for name in node.inputs if name in converted]
    if taken and operator.backend != "host":
        raise UsageError(
            f"does MLX work but reads {taken[0]!r}, whose values are NumPy's; expected a node before the conversion"
        )
    if taken or operator is VALUES:
        converted.add(node.name)
