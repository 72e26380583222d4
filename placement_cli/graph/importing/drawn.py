"""From a drawing to a graph: all it tells is what leads where, and what its labels and groups say."""

from __future__ import annotations

import re
from dataclasses import replace

from placement_cli.graph.document.node_schema import MAX_REPEAT
from placement_cli.graph.importing.draft import NOTHING_KNOWN, Draft, DraftEdge, DraftNode
from placement_cli.graph.importing.ezmsg_ports import draft_of_ports, shows_ports
from placement_cli.graph.importing.imported import Asked, Imported
from placement_cli.graph.importing.naming import label_lines, one_line
from placement_cli.graph.importing.settling import settle
from placement_cli.graph.importing.sketch import Sketch, SketchEdge, SketchNode
from placement_cli.graph.pipeline import SOURCE

TOPOLOGY_ONLY = (
    "A drawing tells what leads where and nothing else: check backend, state, emits and evaluate of every node."
)
_LAG = re.compile(r"\blag (?P<messages>[0-9]{1,4})\b")
_LEAKY = re.compile(r"\bleaky\b")
_COPIES = re.compile(r"(?P<name>.+) \N{MULTIPLICATION SIGN} (?P<count>[1-9][0-9]{0,5})")
_SPLIT = re.compile(r"(?P<kind>process|thread) (?P<name>.+)", re.DOTALL)


def import_sketch(sketch: Sketch, origin: str, asked: Asked) -> Imported:
    """Return the graph that a drawing shows; raises UsageError when it shows none."""
    draft = draft_of_ports(sketch, origin) if shows_ports(sketch) else _draft(sketch)
    notes = (TOPOLOGY_ONLY, *sketch.notes, *draft.notes)
    return settle(replace(draft, notes=notes), origin, asked)


def _draft(sketch: Sketch) -> Draft:
    entered = {edge.head for edge in sketch.edges}
    left = {edge.tail for edge in sketch.edges}
    nodes = [_node(sketch, node) for node in sketch.nodes.values()]
    sources = {node.key for node in nodes if node.label == SOURCE and node.key in left - entered}
    name = one_line(sketch.name)
    return Draft(nodes, [_edge(edge) for edge in sketch.edges], name=name, sources=frozenset(sources))


def _node(sketch: Sketch, node: SketchNode) -> DraftNode:
    """Return the node with what `placement` itself draws: process, thread, copies, work on the host."""
    lines = label_lines(node.title)
    split = {"process": "", "thread": ""}
    for group in sketch.around(node.group):
        if found := _SPLIT.fullmatch(group.label):
            split[found["kind"]] = one_line(found["name"])
    copies = _COPIES.fullmatch(lines[0])
    body = replace(
        NOTHING_KNOWN,
        repeat=min(int(copies["count"]), MAX_REPEAT) if copies else 1,
        backend="host" if "host" in lines[1:] else "mlx",
        process=split["process"],
        thread=split["thread"],
    )
    return DraftNode(node.key, copies["name"] if copies else lines[0], body)


def _edge(edge: SketchEdge) -> DraftEdge:
    lag = _LAG.search(edge.label)
    return DraftEdge(edge.tail, edge.head, int(lag["messages"]) if lag else 0, bool(_LEAKY.search(edge.label)))
