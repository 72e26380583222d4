"""Drawings of `ezmsg mermaid` and `ezmsg graphviz`: their nodes are streams, their innermost groups the units.

A unit's input and output streams are not joined by an edge there, and the streams of a collection are only other
names. So the streams of a unit become one node, and those of collections are passed through.
"""

from __future__ import annotations

import re
from dataclasses import replace

from placement_cli.graph.importing.draft import NOTHING_KNOWN, Draft, DraftEdge, DraftNode, bypass
from placement_cli.graph.importing.imported import MAX_LABEL, grouped
from placement_cli.graph.importing.sketch import Sketch, SketchNode

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""ezmsg calls every node by a fresh random number."""
_STREAM = re.compile(r"(?:INPUT|OUTPUT)(?:_|$)")

SINK = "only receives, so it is taken as host work"
ORIGIN = "only sends, so it is taken as the source itself"


def shows_ports(sketch: Sketch) -> bool:
    """Tell whether ezmsg drew this."""
    return bool(sketch.nodes) and bool(sketch.groups) and all(map(_UUID.fullmatch, sketch.nodes))


def draft_of_ports(sketch: Sketch, origin: str) -> Draft:
    """Return the units and what leads from one to another."""
    folded = _unit_groups(sketch)
    owners = {node.key: f"unit {node.group}" if node.group in folded else node.key for node in sketch.nodes.values()}
    aliases = {key for key, owner in owners.items() if owner == key and _is_stream(sketch.nodes[key])}
    labels: dict[str, str] = {}
    for node in sketch.nodes.values():
        if node.key not in aliases:
            labels.setdefault(owners[node.key], _address(sketch, node, folded))
    edges = [DraftEdge(owners[edge.tail], owners[edge.head]) for edge in sketch.edges]
    return _draft(labels, bypass(edges, aliases, origin), {edge.head for edge in edges})


def _draft(labels: dict[str, str], edges: list[DraftEdge], entered: set[str]) -> Draft:
    left = {edge.tail for edge in edges}
    roots = [key for key in labels if key not in entered and key in left]
    sources = roots if len(roots) == 1 else []
    sinks = {key for key in labels if key not in left}
    host = replace(NOTHING_KNOWN, backend="host")
    nodes = [DraftNode(key, label, host if key in sinks else NOTHING_KNOWN) for key, label in labels.items()]
    said = [(labels[key], ORIGIN) for key in sources] + [(labels[key], SINK) for key in labels if key in sinks]
    return Draft(nodes, edges, sources=frozenset(sources), notes=grouped(said))


def _is_stream(node: SketchNode) -> bool:
    return bool(_STREAM.match(node.title))


def _unit_groups(sketch: Sketch) -> frozenset[int]:
    """Return the innermost groups whose nodes are streams: by their names, or because some only receive and some send.

    In a compacted drawing the nodes of such a group are units, with edges from one to another.
    """
    members: dict[int, list[SketchNode]] = {}
    for node in sketch.nodes.values():
        if node.group is not None:
            members.setdefault(node.group, []).append(node)
    outer = {group.parent for group in sketch.groups}
    joined = {
        sketch.nodes[edge.tail].group
        for edge in sketch.edges
        if sketch.nodes[edge.tail].group == sketch.nodes[edge.head].group and edge.tail != edge.head
    }
    heads, tails = {edge.head for edge in sketch.edges}, {edge.tail for edge in sketch.edges}

    def streams(nodes: list[SketchNode]) -> bool:
        named = any(map(_is_stream, nodes))
        receive = any(node.key in heads and node.key not in tails for node in nodes)
        send = any(node.key in tails and node.key not in heads for node in nodes)
        return named or (receive and send)

    return frozenset(
        group for group, nodes in members.items() if group not in outer and group not in joined and streams(nodes)
    )


def _address(sketch: Sketch, node: SketchNode, folded: frozenset[int]) -> str:
    parts = [group.label for group in sketch.around(node.group)]
    return "/".join(parts if node.group in folded else [*parts, node.title])[-MAX_LABEL:]
