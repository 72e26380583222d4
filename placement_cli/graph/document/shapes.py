"""The shapes that flow along a graph as far as they are known, and what follows from them for each operator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from placement_cli.graph.document.emission import operator_emission
from placement_cli.graph.graph import ALWAYS, Emission, GraphNode, GraphSource
from placement_cli.graph.pipeline import SOURCE
from placement_cli.operators.catalog import check_params, check_shapes, find_operator
from placement_cli.operators.operator import ITEM_BYTES, Operator, Params, Shape

Shapes = dict[str, Shape | None]
"""Node to the shape of its output (longest message); None where it is not known."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One message on its way through a node: the shape that comes out, and when something does."""

    output: Shape | None
    emits: Emission


def source_shapes(source: GraphSource) -> Shapes:
    """Return what is known before any node: the message, unless operators do not take its element type."""
    return {SOURCE: (source.samples, source.channels) if source.dtype in ITEM_BYTES else None}


def passage(node: GraphNode, shapes: Mapping[str, Shape | None], source: GraphSource) -> Passage:
    """Return what the operator of `node` makes of inputs of these shapes.

    Without an operator nothing is known. Where an operator withholds and the shape of its input is not known, it is
    taken to get as many samples as the source has. Raises UsageError where it does not take such inputs.
    """
    if node.op is None:
        return Passage(None, ALWAYS)
    operator = find_operator(node.op)
    params = check_params(operator, node.params)
    inputs = [shapes.get(edge.node) for edge in node.inputs]
    known = tuple(shape for shape in inputs if shape is not None)
    if len(known) < len(inputs):
        return Passage(None, operator_emission(operator, params, source.samples))
    return _chain(operator, params, known, node.repeat, source.dtype)


def _chain(operator: Operator, params: Params, inputs: tuple[Shape, ...], copies: int, dtype: str) -> Passage:
    """Pass a message through a chain of copies, of which each reads the one before; the slowest says when it emits."""
    emits = ALWAYS
    for _ in range(copies):
        check_shapes(operator, inputs, params)
        emits = max(emits, operator_emission(operator, params, inputs[0][0]), key=lambda each: each.every)
        output = operator.features(inputs, params, dtype).output
        if inputs == (output,):
            break
        inputs = (output,)
    return Passage(inputs[0], emits)
