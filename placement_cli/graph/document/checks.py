"""Checks what the keys of a graph document say of each other: inputs, cycles, copies, points, the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from placement_cli.errors import UsageError, did_you_mean
from placement_cli.graph.document.node_schema import NodeEntry
from placement_cli.graph.document.ordering import cycle_among, cycle_text, in_order
from placement_cli.graph.document.schema import GraphDocument, SourceEntry
from placement_cli.graph.graph import DTYPE_BYTES
from placement_cli.graph.mode import OFF
from placement_cli.graph.pipeline import SOURCE
from placement_cli.located.places import Given, Places, at
from placement_cli.operators.catalog import find_operator
from placement_cli.operators.given import check_given
from placement_cli.operators.operator import Operator
from placement_cli.units import MAX_SIZE

MAX_NODES = 20_000
"""Most nodes with all copies of repeated ones."""
LISTED = 12
"""When no name is near, so many known ones are listed; of more only the number is said."""


def check_source(source: SourceEntry, places: Places) -> None:
    """Refuse a source that cannot be: a rate of a single pass, a message beyond all memory."""
    if source.kind == "once" and source.rate is not None:
        raise UsageError(f"{places.of_key('source', 'rate')}: kind once is a single pass, which has no rate")
    samples, channels = source.shape
    if samples * channels * DTYPE_BYTES[source.dtype] > MAX_SIZE:
        raise places.error(("source", "shape"), "one message is larger than any memory; expected smaller numbers")


def check_operator(name: str, entry: NodeEntry, places: Places) -> Operator | None:
    """Return the operator of a node, None without one; refuse what it cannot take or be."""
    way = ("nodes", name)
    if entry.op is None:
        if entry.params:
            raise UsageError(f"{places.of_key(*way, 'params')}: node {name!r} has parameters but no 'op'")
        return None
    with at(places.of(*way, "op")):
        operator = find_operator(entry.op)
    given = {key: Given(value, places.of(*way, "params", key)) for key, value in entry.params.items()}
    check_given(
        operator, given, key_place=lambda key: places.of_key(*way, "params", key), place=places.of(*way, "params")
    )
    if operator.backend == "host" and entry.backend == "mlx":
        raise places.error((*way, "backend"), f"{operator.name} works on the host; expected host, or no backend")
    return operator


def check_point(name: str, entry: NodeEntry, backend: str, places: Places) -> None:
    """Refuse an evaluation point where the values are there already, and a pinned one that is none."""
    if entry.evaluate != OFF and backend == "host":
        what = f"node {name!r} works on the host, where values are there already; expected no 'evaluate'"
        raise UsageError(f"{places.of_key('nodes', name, 'evaluate')}: {what}")
    if entry.pinned and entry.evaluate == OFF:
        what = f"node {name!r} has no evaluation point to pin; expected an 'evaluate' other than off"
        raise UsageError(f"{places.of_key('nodes', name, 'pinned')}: {what}")


def check_copies(nodes: Mapping[str, NodeEntry], places: Places) -> None:
    """Refuse more nodes than can be reasoned about, and a node that is called like a copy of another."""
    total = 0
    for name, entry in nodes.items():
        total += entry.repeat
        if total > MAX_NODES:
            path = ("nodes", name, "repeat")
            raise places.error(path, f"with its copies the graph has more than {MAX_NODES} nodes")
        if entry.repeat > 1:
            _check_names_of_copies(name, entry.repeat, nodes, places)


def _check_names_of_copies(name: str, copies: int, nodes: Mapping[str, NodeEntry], places: Places) -> None:
    for copy in (f"{name}.{index}" for index in range(copies)):
        if copy in nodes:
            what = f"node {copy!r} is called like a copy of {name!r}, which is repeated; expected another name"
            raise UsageError(f"{places.of_key('nodes', copy)}: {what}")


def checked_order(nodes: Mapping[str, NodeEntry], places: Places) -> list[str]:
    """Return the names so that each comes after its inputs; refuse unknown inputs and cycles."""
    _check_inputs(nodes, places)
    reads = {name: _reads(entry) for name, entry in nodes.items()}
    order = in_order(reads)
    cycle = cycle_among(reads, order)
    if cycle:
        way = ("nodes", cycle[0], "inputs")
        index = next(i for i, edge in enumerate(nodes[cycle[0]].inputs) if edge.node == cycle[-1] and not edge.lag)
        hint = f"what is of an earlier message is read as {{node: {cycle[-1]}, lag: 1}}"
        raise places.error((*way, index), f"nodes form a cycle: {cycle_text(cycle)}; {hint}")
    return order


def _reads(entry: NodeEntry) -> list[str]:
    """Return the nodes of which it reads the output of the same message."""
    return [edge.node for edge in entry.inputs if edge.node != SOURCE and not edge.lag]


def _check_inputs(nodes: Mapping[str, NodeEntry], places: Places) -> None:
    for name, entry in nodes.items():
        for index, edge in enumerate(entry.inputs):
            if edge.node != SOURCE and edge.node not in nodes:
                hint = nearest_node(edge.node, [SOURCE, *nodes])
                what = f"node {name!r} reads {edge.node!r}, which is no node of the graph. {hint}"
                raise places.error(("nodes", name, "inputs", index, "node"), what)


def nearest_node(name: str, known: Sequence[str]) -> str:
    """Return a sentence that names the nearest of the known names, or says what there is."""
    if len(known) <= LISTED:
        return did_you_mean(name, known)
    near = get_close_matches(name, known, n=1)
    return did_you_mean(name, near) if near else f"It has {len(known)} others."


def check_document(document: GraphDocument, places: Places) -> None:
    """Refuse what is wrong with the source or with the number and names of the nodes."""
    check_source(document.source, places)
    check_copies(document.nodes, places)
