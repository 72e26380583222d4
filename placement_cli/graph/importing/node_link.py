"""Reads node-link JSON, as networkx and many exporters write it: nodes and links with any attributes.

Attributes that carry the names of keys of graph.yaml, or of the neutral form, are understood; classes of ezmsg too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, get_args

from placement_cli.errors import UsageError
from placement_cli.graph.graph import DTYPE_BYTES, Limits, SourceKind
from placement_cli.graph.importing.attributes import body_of
from placement_cli.graph.importing.draft import Draft, DraftEdge, DraftNode
from placement_cli.graph.importing.ezmsg_graph import import_units
from placement_cli.graph.importing.ezmsg_unit import Unit, UnitGraph, Wire, is_ezmsg
from placement_cli.graph.importing.imported import (
    MAX_EDGES,
    MAX_NODES,
    NOTHING_ASKED,
    Asked,
    Imported,
    SourceFacts,
    check_count,
    grouped,
)
from placement_cli.graph.importing.json_text import Json, read_json
from placement_cli.graph.importing.naming import one_line
from placement_cli.graph.importing.settling import settle
from placement_cli.graph.pipeline import SOURCE
from placement_cli.units import MAX_SIZE, parse_size

LINKS = ("links", "edges")
ENDS = (("source", "target"), ("from", "to"))
UNDIRECTED = "The graph is undirected: each link is taken to lead from its source to its target."
MAX_LAG = 10_000
UNITS_OWN = frozenset({"process", "device"})
"""Attributes of units of ezmsg that mean something else than in graph.yaml: numbers of processes, hardware."""


def read_node_link(text: str, origin: str, asked: Asked = NOTHING_ASKED) -> Imported:
    """Read node-link JSON; raises UsageError with the place where it is none."""
    document = read_json(text, origin)
    nodes = _nodes(document)
    edges = [edge for link in _links(document) for edge in _edges(link, nodes)]
    check_count(len(edges), MAX_EDGES, "edges", origin)
    if any(is_ezmsg(node.get("type").word()) for node in nodes.values()):
        return import_units(_units(nodes, edges), origin, asked)
    return settle(_draft(document, nodes, edges), origin, asked)


def _nodes(document: Json) -> dict[str, Json]:
    if not isinstance(document.value, dict) or "nodes" not in document.value:
        raise document.error("expected node-link JSON, a mapping with `nodes` and `links` or `edges`")
    found: dict[str, Json] = {}
    for node in document.get("nodes").items():
        key = _key(node.get("id"))
        if key in found:
            raise node.get("id").error(f"is the same as that of {found[key].path}")
        found[key] = node
    check_count(len(found), MAX_NODES, "nodes", document.origin)
    return found


def _key(value: Json) -> str:
    """Return the id of a node as text; networkx allows numbers and lists."""
    if value.value is None:
        raise value.error("expected the id of a node, but found nothing")
    return value.value if isinstance(value.value, str) else json.dumps(value.value)


def _links(document: Json) -> list[Json]:
    named = [name for name in LINKS if document.get(name).value is not None]
    return [link for name in named for link in document.get(name).items()]


def _edges(link: Json, nodes: dict[str, Json]) -> list[DraftEdge]:
    tail_key, head_key = next((ends for ends in ENDS if ends[0] in link.mapping()), ENDS[0])
    tail, head = link.get(tail_key), link.get(head_key)
    ends = (_key(tail), _key(head))
    for end, key in zip((tail, head), ends, strict=True):
        if key not in nodes:
            raise end.error(f"{key[:60]!r} is the id of no node")
    lag = link.get("lag").value
    late = lag if type(lag) is int and 0 <= lag <= MAX_LAG else 0
    return [DraftEdge(*ends, lag=late, leaky=link.get("leaky").value is True)]


def _units(nodes: dict[str, Json], edges: Sequence[DraftEdge]) -> UnitGraph:
    units = [
        Unit(
            address=key,
            kind=node.get("type").word(),
            settings=_mapping(node.get("settings")),
            process=str(node.get("process").value or ""),
            out_per_in=node.get("out_per_in").number(),
            rate_hz=node.get("rate_out_hz").number(),
            attributes={name: value for name, value in node.mapping().items() if name not in UNITS_OWN},
        )
        for key, node in nodes.items()
    ]
    return UnitGraph(units, [Wire(edge.tail, edge.head, edge.leaky) for edge in edges])


def _mapping(value: Json) -> dict[str, Any]:
    return value.value if isinstance(value.value, dict) else {}


def _draft(document: Json, nodes: dict[str, Json], edges: Sequence[DraftEdge]) -> Draft:
    left, entered = {edge.tail for edge in edges}, {edge.head for edge in edges}
    made, remarks = [], []
    for key, node in nodes.items():
        body, left_out = body_of(node.mapping())
        made.append(DraftNode(key, _label(key, node), body))
        remarks += [(made[-1].label, remark) for remark in left_out]
    sources = {node.key for node in made if node.label == SOURCE and node.key in left - entered}
    about = document.get("graph") if isinstance(document.get("graph").value, dict) else document
    undirected = document.get("directed").value is False
    notes = (UNDIRECTED,) if undirected else ()
    return Draft(
        nodes=made,
        edges=edges,
        name=one_line(about.get("name").word() or ""),
        sources=frozenset(sources),
        source=_source(about),
        limits=_limits(about),
        notes=(*notes, *grouped(remarks)),
    )


def _label(key: str, node: Json) -> str:
    return node.get("label").word() or node.get("name").word() or key


def _source(about: Json) -> SourceFacts:
    """Return what is said of the messages: the mapping of graph.yaml, or `paced` and `replay` of the neutral form."""
    given = about.get("source")
    if not isinstance(given.value, dict):
        return SourceFacts(kind="replay" if given.value == "replay" else None)
    sides = [side.number() for side in given.get("shape").items()] if given.get("shape").value else []
    whole = [int(side) for side in sides if side is not None and side == int(side)]
    samples, channels = whole if len(whole) == len(sides) == 2 else (None, None)
    kind, dtype = given.get("kind").word(), given.get("dtype").word()
    known: dict[str, SourceKind] = {word: word for word in get_args(SourceKind)}
    return SourceFacts(
        samples=samples,
        channels=channels,
        rate=given.get("rate").number(),
        dtype=dtype if dtype in DTYPE_BYTES else None,
        kind=known.get(kind or ""),
    )


def _limits(about: Json) -> Limits:
    deadline, memory = about.get("deadline_ms").number(), about.get("mem_limit")
    try:
        size = parse_size(memory.value) if isinstance(memory.value, str) else memory.number()
    except ValueError as error:
        raise UsageError(f"{memory.origin}: {memory.path}: {error}") from None
    return Limits(
        memory_bytes=int(size) if size is not None and 1 <= size <= MAX_SIZE else None,
        latency_s=deadline / 1e3 if deadline is not None else None,
    )
