"""Links to a subgraph as a whole, which Mermaid allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from placement_cli.graph.importing.imported import MAX_EDGES, check_count
from placement_cli.graph.importing.sketch import Sketch, SketchEdge

NOTE = (
    "A link to or from a whole subgraph is taken to enter at its nodes without inputs and to leave from its nodes "
    "without readers."
)


def without_group_ends(sketch: Sketch, origin: str) -> Sketch:
    """Return the drawing with every link that ends at a subgraph led to nodes in it."""
    numbers: dict[str, int] = {}
    for number, group in enumerate(sketch.groups):
        numbers.setdefault(group.key, number)
    asked = [key for key, node in sketch.nodes.items() if key in numbers and node.label is None]
    inside = _members(sketch, {numbers[key]: key for key in asked})
    meant = {key: members for key, members in inside.items() if members}
    if not meant:
        return sketch
    heads_of: dict[str, list[str]] = {}
    for edge in sketch.edges:
        heads_of.setdefault(edge.tail, []).append(edge.head)
    entries = {key: _entries(members, heads_of) for key, members in meant.items()}
    exits = {key: _exits(members, heads_of) for key, members in meant.items()}
    edges: list[SketchEdge] = []
    for edge in sketch.edges:
        heads = entries.get(edge.head, (edge.head,))
        edges += [SketchEdge(tail, head, edge.label) for tail in exits.get(edge.tail, (edge.tail,)) for head in heads]
        check_count(len(edges), MAX_EDGES, "edges", origin)
    nodes = {key: node for key, node in sketch.nodes.items() if key not in meant}
    return replace(sketch, nodes=nodes, edges=edges, notes=[*sketch.notes, NOTE])


def _members(sketch: Sketch, wanted: Mapping[int, str]) -> dict[str, list[str]]:
    """Return the nodes inside each of the groups in `wanted`, however deep."""
    found: dict[str, list[str]] = {key: [] for key in wanted.values()}
    for node in sketch.nodes.values():
        group = node.group
        if node.key in found:
            continue
        while group is not None:
            if group in wanted:
                found[wanted[group]].append(node.key)
            group = sketch.groups[group].parent
    return found


def _entries(members: Sequence[str], heads_of: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the members that no edge among them enters; all where every one is."""
    entered = {head for member in members for head in heads_of.get(member, ())}
    return tuple(key for key in members if key not in entered) or tuple(members)


def _exits(members: Sequence[str], heads_of: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the members that no edge among them leaves; all where every one is."""
    among = set(members)
    return tuple(key for key in members if among.isdisjoint(heads_of.get(key, ()))) or tuple(members)
