"""Copies of a repeated node, and placements written by the node where its copies agree."""

from __future__ import annotations

from collections.abc import Mapping

from placement_cli.graph.graph import Graph, GraphNode
from placement_cli.graph.mode import Mode


def copy_names(node: GraphNode) -> tuple[str, ...]:
    """Return the names of the copies in order, `NAME.0` first; the node's own name where it is not repeated."""
    if node.repeat == 1:
        return (node.name,)
    return tuple(f"{node.name}.{number}" for number in range(node.repeat))


def folded(graph: Graph, placement: Mapping[str, Mode]) -> dict[str, Mode]:
    """Return `placement` in the order of the graph, a repeated node under its own name where its copies agree.

    Where they do not, or where the placement names only some of them, the copies keep names of their own.
    Folding twice changes nothing.
    """
    modes: dict[str, Mode] = {}
    for node in graph.nodes:
        known = {name: placement[name] for name in (node.name, *copy_names(node)) if name in placement}
        agreed = len(known) == node.repeat and len(set(known.values())) == 1
        modes |= {node.name: next(iter(known.values()))} if agreed else known
    return modes
