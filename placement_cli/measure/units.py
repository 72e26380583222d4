"""The operators of a pipeline in use, and how many primitives they add to the graph."""

from __future__ import annotations

from collections.abc import Mapping

from placement_cli.graph.pipeline import Pipeline
from placement_cli.measure.shapes import pipeline_features, pipeline_shapes
from placement_cli.operators.catalog import check_params, find_operator
from placement_cli.operators.operator import Unit


def make_units(
    pipeline: Pipeline, seed: int, amounts: Mapping[str, int] | None = None, *, reference: bool = False
) -> dict[str, Unit]:
    """Make the unit of every node, on MLX or (for the reference) in NumPy; equal seeds give equal weights."""
    shapes = pipeline_shapes(pipeline)
    units: dict[str, Unit] = {}
    for index, node in enumerate(pipeline.nodes):
        operator = find_operator(node.op)
        params = check_params(operator, node.params)
        if amounts and node.name in amounts:
            params["amount"] = amounts[node.name]
        make = operator.make_numpy if reference else operator.make_mlx
        units[node.name] = make(shapes[node.name].inputs, params, pipeline.source.dtype, seed + index)
    return units


def device_ops(pipeline: Pipeline) -> int:
    """Return how many MLX primitives one message adds to the graph, its ingestion not counted."""
    features = pipeline_features(pipeline)
    return sum(features[node.name].ops for node in pipeline.nodes if find_operator(node.op).backend == "mlx")
