"""Writes a graph as a document: only what differs from the defaults, in units that people read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from placement_cli.graph.document.defaults import default_backend, default_kind, default_state
from placement_cli.graph.document.editing import with_modes
from placement_cli.graph.document.flow import block_lines, flow_entry
from placement_cli.graph.document.quantities import duration_text, size_text
from placement_cli.graph.document.schema import VERSION
from placement_cli.graph.document.shapes import Shapes, passage, source_shapes
from placement_cli.graph.graph import ALWAYS, Costs, Edge, Emission, Graph, GraphNode, GraphSource
from placement_cli.graph.mode import OFF
from placement_cli.operators.catalog import find_operator

FLOWING = ("platform", "observed")
"""Mappings at the top that stand in one line."""
DURATIONS = ("build", "submit", "device", "device_after_idle", "host")
SIZES = ("output", "weights", "intermediates")


def to_document(graph: Graph) -> dict[str, Any]:
    """Return the document of `graph` as plain values; `parse_graph` and `graph_of` make the same graph of it.

    Raises UsageError for a graph that no document describes: an unknown operator, or one that does not take its inputs.
    """
    shapes = source_shapes(graph.source)
    nodes = {node.name: _node(node, shapes, graph.source) for node in graph.nodes}
    top = {
        "version": VERSION,
        "name": graph.name or None,
        "device": graph.device,
        "source": _source(graph.source),
        "platform": _stated(gpu=graph.platform.gpu, mlx=graph.platform.mlx),
        "limits": _stated(
            memory=_size(graph.limits.memory_bytes),
            latency=_duration(graph.limits.latency_s),
            buffers=graph.limits.buffers,
        ),
        "observed": _stated(
            step=_duration(graph.observed.step_s),
            device_busy=_short(graph.observed.device_busy),
            active=_size(graph.observed.active_bytes),
            cache=_size(graph.observed.cache_bytes),
        ),
        "nodes": nodes,
    }
    return {key: value for key, value in top.items() if value is not None and value != {}}


def graph_text(graph: Graph) -> str:
    """Return the document of `graph` as YAML, one line a node where that fits; raises as `to_document` does."""
    document = to_document(graph)
    lines: list[str] = []
    for key, value in document.items():
        if isinstance(value, Mapping) and key not in FLOWING:
            lines += [f"{key}:", *block_lines(value)]
        else:
            lines.append(flow_entry(key, value))
    return "\n".join(lines) + "\n"


def _source(source: GraphSource) -> dict[str, Any]:
    return _stated(
        shape=[source.samples, source.channels],
        dtype=source.dtype if source.dtype != "float32" else None,
        rate=_short(source.rate),
        messages=source.messages,
        kind=source.kind if source.kind != default_kind(source.rate) else None,
    )


def _node(node: GraphNode, shapes: Shapes, source: GraphSource) -> dict[str, Any]:
    """Return the document of one node, and note in `shapes` what comes out of it."""
    through = passage(node, shapes, source)
    shapes[node.name] = through.output
    operator = None if node.op is None else find_operator(node.op)
    return _stated(
        op=node.op,
        params=dict(node.params) or None,
        backend=node.backend if node.backend != default_backend(operator) else None,
        inputs=_inputs(node.inputs),
        repeat=node.repeat if node.repeat > 1 else None,
        state=node.state if node.state != default_state(operator) else None,
        emits=_emits(node.emits) if node.emits != through.emits else None,
        forces=node.forces if node.forces != "never" else None,
        evaluate=str(node.evaluate) if node.evaluate != OFF else None,
        pinned=node.pinned or None,
        costs=_costs(node.costs) or None,
        process=node.process or None,
        thread=node.thread or None,
        stream=node.stream or None,
        device=node.device,
        weights=node.weights,
        blocks=node.blocks and {"count": node.blocks.count, "shape": [node.blocks.rows, node.blocks.columns]},
    )


def _inputs(edges: tuple[Edge, ...]) -> Any:
    items = [
        edge.node
        if edge == Edge(edge.node)
        else _stated(node=edge.node, lag=edge.lag or None, leaky=edge.leaky or None)
        for edge in edges
    ]
    return items[0] if len(items) == 1 and isinstance(items[0], str) else items


def _emits(emission: Emission) -> Any:
    if emission == ALWAYS:
        return "always"
    every = emission.every if emission.every > 1 or emission.probability is None else None
    return _stated(every=every, probability=_short(emission.probability))


def _costs(costs: Costs) -> dict[str, Any]:
    times = {key: _duration(getattr(costs, f"{key}_s")) for key in DURATIONS}
    sizes = {key: _size(getattr(costs, f"{key}_bytes")) for key in SIZES}
    return _stated(**times, kernels=costs.kernels, ops=costs.ops, **sizes, buffers=costs.buffers)


def _stated(**values: Any) -> dict[str, Any]:
    """Return the values that are known."""
    return {key: value for key, value in values.items() if value is not None}


def _duration(seconds: float | None) -> str | None:
    return None if seconds is None else duration_text(seconds)


def _size(size: int | None) -> str | None:
    return None if size is None else size_text(size)


def _short(number: float | None) -> float | None:
    """Return a number as people write it: without a fraction where it has none."""
    return int(number) if number is not None and number == int(number) else number


__all__ = ["graph_text", "to_document", "with_modes"]
