"""The operators of a pipeline in use, and how many primitives they add to the graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from placement_cli.graph.pipeline import Pipeline
from placement_cli.measure.shapes import pipeline_features, pipeline_shapes
from placement_cli.measure.specs import Workload
from placement_cli.operators.catalog import check_params, find_operator
from placement_cli.operators.ezmsg.units import through_ezmsg
from placement_cli.operators.operator import DESIGN, Operator, Unit


def designs_of(pipeline: Pipeline) -> dict[str, Any]:
    """Return what the nodes' operators work out once for all processes, by node; nodes without such are left out."""
    designs: dict[str, Any] = {}
    for node in pipeline.nodes:
        operator = find_operator(node.op)
        if operator.design is not None:
            designs[node.name] = operator.design(check_params(operator, node.params))
    return designs


def make_units(
    pipeline: Pipeline,
    seed: int,
    amounts: Mapping[str, int] | None = None,
    designs: Mapping[str, Any] | None = None,
    *,
    reference: bool = False,
    workload: Workload = Workload.BUILTIN,
) -> dict[str, Unit]:
    """Make the unit of every node, on MLX or (for the reference) in NumPy; equal seeds give equal weights.

    `amounts` holds the calibrated work of host nodes, `designs` what `designs_of` worked out elsewhere. `workload` says
    whose operators they are.
    """
    shapes = pipeline_shapes(pipeline)
    units: dict[str, Unit] = {}
    for index, node in enumerate(pipeline.nodes):
        operator = _operator(node.op, workload)
        params = check_params(operator, node.params)
        if amounts and node.name in amounts:
            params["amount"] = amounts[node.name]
        if designs and node.name in designs:
            params[DESIGN] = designs[node.name]
        make = operator.make_numpy if reference else operator.make_mlx
        units[node.name] = make(shapes[node.name].inputs, params, pipeline.source.dtype, seed + index)
    return units


def _operator(name: str, workload: Workload) -> Operator:
    operator = find_operator(name)
    return through_ezmsg(operator) if workload is Workload.EZMSG else operator


def device_ops(pipeline: Pipeline) -> int:
    """Return how many MLX primitives one message adds to the graph, its ingestion not counted.

    These are the ops of the builtin workload; the processors of ezmsg-sigproc build more for some operators.
    """
    features = pipeline_features(pipeline)
    return sum(features[node.name].ops for node in pipeline.nodes if find_operator(node.op).backend == "mlx")
