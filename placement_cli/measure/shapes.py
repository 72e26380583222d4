"""The shapes that flow through a pipeline, worked out without running it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from placement_cli.graph.pipeline import SOURCE, Node, Pipeline
from placement_cli.operators.catalog import check_params, check_shapes, find_operator
from placement_cli.operators.operator import Features, Shape


@dataclass(frozen=True, slots=True)
class NodeShapes:
    """What goes into a node and what comes out, for the longest message.

    `inputs` holds one shape for each input, in the node's order; shapes are samples first, channels last. A
    node that withholds has the shape it emits when it emits.
    """

    inputs: tuple[Shape, ...]
    output: Shape


def pipeline_shapes(pipeline: Pipeline) -> dict[str, NodeShapes]:
    """Return the shapes of every node, in the order of the pipeline, for the longest message of the source.

    Raises KeyError when a node reads a name that does not come before it, and UsageError where an operator does
    not take the shapes or parameters it is given.
    """
    outputs: dict[str, Shape] = {SOURCE: (pipeline.source.samples_high, pipeline.source.channels)}
    shapes: dict[str, NodeShapes] = {}
    for node in pipeline.nodes:
        inputs = tuple(outputs[name] for name in node.inputs)
        output = node_features(node, inputs, pipeline.source.dtype).output
        shapes[node.name] = NodeShapes(inputs, output)
        outputs[node.name] = output
    return shapes


def pipeline_features(pipeline: Pipeline) -> Mapping[str, Features]:
    """Return what every node costs for the longest message, in the order of the pipeline."""
    shapes = pipeline_shapes(pipeline)
    dtype = pipeline.source.dtype
    return {node.name: node_features(node, shapes[node.name].inputs, dtype) for node in pipeline.nodes}


def node_features(node: Node, inputs: tuple[Shape, ...], dtype: str) -> Features:
    """Return what one message costs in `node` when its inputs have these shapes and elements of type `dtype`.

    Raises UsageError where the operator does not take such inputs, or not these parameters.
    """
    operator = find_operator(node.op)
    params = check_params(operator, node.params)
    check_shapes(operator, inputs, params)
    return operator.features(inputs, params, dtype)
