"""Makes a graph of a document: what follows from operators filled in, nodes in an order in which they can run."""

from __future__ import annotations

from dataclasses import replace

from placement_cli.graph.document.checks import check_document, check_operator, check_point, checked_order
from placement_cli.graph.document.defaults import default_backend, default_kind, default_state
from placement_cli.graph.document.node_schema import CostsEntry, EmitsEntry, NodeEntry
from placement_cli.graph.document.schema import GraphDocument, SourceEntry
from placement_cli.graph.document.shapes import passage, source_shapes
from placement_cli.graph.graph import (
    BlockShape,
    Costs,
    Edge,
    Emission,
    Graph,
    GraphNode,
    GraphSource,
    Limits,
    Observed,
    Platform,
)
from placement_cli.located.places import Places, at


def build_graph(document: GraphDocument, places: Places) -> Graph:
    """Return the graph of `document`; raises UsageError, with its place, for anything that cannot be."""
    check_document(document, places)
    made = {name: _node(name, entry, places) for name, entry in document.nodes.items()}
    source = _source(document.source)
    shapes = source_shapes(source)
    nodes: list[GraphNode] = []
    for name in checked_order(document.nodes, places):
        with at(f"{places.of('nodes', name, 'inputs')}: node {name!r}"):
            through = passage(made[name], shapes, source)
        shapes[name] = through.output
        emits = document.nodes[name].emits
        nodes.append(replace(made[name], emits=through.emits if emits is None else _emission(emits)))
    return Graph(
        source,
        tuple(nodes),
        document.name,
        document.device,
        Platform(document.platform.gpu, document.platform.mlx),
        Limits(document.limits.memory, document.limits.latency, document.limits.buffers),
        _observed(document),
    )


def _node(name: str, entry: NodeEntry, places: Places) -> GraphNode:
    """Return a node with everything but its default emission, which depends on what reaches it."""
    operator = check_operator(name, entry, places)
    backend = entry.backend or default_backend(operator)
    check_point(name, entry, backend, places)
    return GraphNode(
        name=name,
        inputs=tuple(Edge(edge.node, edge.lag, edge.leaky) for edge in entry.inputs),
        op=entry.op,
        params=entry.params,
        repeat=entry.repeat,
        backend=backend,
        state=entry.state or default_state(operator),
        forces=entry.forces,
        evaluate=entry.evaluate,
        pinned=entry.pinned,
        costs=_costs(entry.costs),
        process=entry.process,
        thread=entry.thread,
        stream=entry.stream,
        device=entry.device,
        weights=entry.weights,
        blocks=None if entry.blocks is None else BlockShape(entry.blocks.count, *entry.blocks.shape),
    )


def _source(entry: SourceEntry) -> GraphSource:
    kind = entry.kind or default_kind(entry.rate)
    return GraphSource(*entry.shape, entry.dtype, entry.rate, entry.messages, kind)


def _emission(entry: EmitsEntry) -> Emission:
    return Emission(entry.every, entry.probability)


def _costs(entry: CostsEntry) -> Costs:
    return Costs(
        build_s=entry.build,
        submit_s=entry.submit,
        device_s=entry.device,
        device_after_idle_s=entry.device_after_idle,
        host_s=entry.host,
        kernels=entry.kernels,
        ops=entry.ops,
        output_bytes=entry.output,
        weights_bytes=entry.weights,
        intermediates_bytes=entry.intermediates,
        buffers=entry.buffers,
    )


def _observed(document: GraphDocument) -> Observed:
    seen = document.observed
    return Observed(seen.step, seen.device_busy, seen.active, seen.cache)
