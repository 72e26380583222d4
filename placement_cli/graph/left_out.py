"""What a run of a graph leaves out of it, in sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from placement_cli.graph.graph import Graph, GraphNode
from placement_cli.graph.unrunnable import named, needs_values
from placement_cli.located.places import quoted
from placement_cli.operators.catalog import OPERATORS
from placement_cli.operators.host import HOST
from placement_cli.operators.values import VALUES


def left_out(graph: Graph) -> tuple[str, ...]:
    """Return one sentence for each thing in `graph`, which can be run, that a run does not do."""
    host = {node.name for node in graph.nodes if needs_values(node)}
    found: dict[str, list[str]] = {}
    for node in graph.nodes:
        for what in _of_host_node(node) if node.name in host else _of_mlx_node(node, host):
            found.setdefault(what, []).append(node.name)
    return (*_of_setting(graph), *(f"N{named(names)[1:]}: {what}." for what, names in found.items()))


def _of_setting(graph: Graph) -> Iterator[str]:
    processes, threads, streams = (
        {getattr(node, key) for node in graph.nodes} for key in ("process", "thread", "stream")
    )
    if len(processes) > 1:
        yield "All processes run as one: an edge between two reads the values, but the hop is left out."
    if len(threads) > 1 or len(streams) > 1:
        yield "Everything runs on one thread and one stream."
    if any(edge.leaky for node in graph.nodes for edge in node.inputs):
        yield "Readers that may drop messages take every one."
    elsewhere = [value for value in (graph.platform.gpu, graph.platform.mlx) if value is not None]
    if elsewhere:
        yield f"It runs here, not on the platform that the graph is for ({', '.join(map(quoted, elsewhere))})."


def _of_host_node(node: GraphNode) -> Iterator[str]:
    operator = OPERATORS.get(node.op or "")
    if operator is not None and operator.backend == "mlx":
        yield "works on the host, so its operator is not run"
    if node.costs.host_s is None and node.op not in {HOST.name, VALUES.name}:
        yield "the values are read, but its work is not known and is left out"
    if not node.emits.always:
        yield "gives output for every message"


def _of_mlx_node(node: GraphNode, host: Collection[str]) -> Iterator[str]:
    if any(edge.node in host for edge in node.inputs):
        yield "goes on with the array that the host node before it was given"
    if node.state != "none" and not OPERATORS[node.op or ""].carries_state:
        yield "carries no state when it is run"
    if node.weights is not None or node.blocks is not None:
        yield "has weights drawn at random"
