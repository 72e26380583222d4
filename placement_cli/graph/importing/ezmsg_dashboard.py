"""Reads what the dashboard of ezmsg saves: graph documents of its builder, and snapshots of a running system.

A snapshot may also be that of the graph server alone. Pickled settings in it are never unpickled.
"""

from __future__ import annotations

from placement_cli.graph.importing.ezmsg_graph import import_units
from placement_cli.graph.importing.ezmsg_snapshot import units_of_snapshot
from placement_cli.graph.importing.ezmsg_unit import Unit, UnitGraph, Wire
from placement_cli.graph.importing.imported import MAX_EDGES, MAX_NODES, NOTHING_ASKED, Asked, Imported, check_count
from placement_cli.graph.importing.json_text import Json, read_json

DOCUMENT_VERSION = 1
DRAFT_NOTE = "A graph document tells neither rates nor processes: everything is taken to run in one process."


def read_ezmsg_dashboard(text: str, origin: str, asked: Asked = NOTHING_ASKED) -> Imported:
    """Read a graph document, version 1, or a snapshot; raises UsageError with the place where it is neither."""
    document = read_json(text, origin)
    members = document.mapping()
    if "snapshot" in members or ("graph" in members and "sessions" in members):
        return import_units(units_of_snapshot(document), origin, asked)
    if "nodes" in members and "version" in members:
        return import_units(_units_of_document(document), origin, asked)
    raise document.error(
        "expected a graph document of the dashboard (`version`, `nodes`, `edges`) or a snapshot (`snapshot`)"
    )


def _units_of_document(document: Json) -> UnitGraph:
    if document.get("version").value != DOCUMENT_VERSION:
        raise document.get("version").error(f"expected {DOCUMENT_VERSION}, the known version of graph documents")
    nodes = {node.get("id").text(): node for node in _distinct(document)}
    labels = _labels(nodes)
    units = [
        Unit(
            address=labels[key],
            kind=(node.get("component").get("value").word() or "").replace(":", ".") or None,
            settings=node.get("settings").mapping(),
        )
        for key, node in nodes.items()
    ]
    wires = [Wire(_end(edge, "source", labels), _end(edge, "target", labels)) for edge in document.get("edges").items()]
    check_count(len(wires), MAX_EDGES, "edges", document.origin)
    external = {_end(entry, "target", labels) for entry in document.get("external_inputs").items()}
    return UnitGraph(units, wires, frozenset(external), (DRAFT_NOTE,))


def _distinct(document: Json) -> list[Json]:
    seen: dict[str, str] = {}
    nodes = list(document.get("nodes").items())
    check_count(len(nodes), MAX_NODES, "nodes", document.origin)
    for node in nodes:
        key = node.get("id").text()
        if key in seen:
            raise node.get("id").error(f"is the same as that of {seen[key]}")
        seen[key] = node.path
    return nodes


def _labels(nodes: dict[str, Json]) -> dict[str, str]:
    """Return the name of each node, or its id where another has the same name."""
    names = {key: node.get("name").word() or key for key, node in nodes.items()}
    if len(set(names.values())) == len(names):
        return names
    seen: set[str] = set()
    labels = {}
    for key, name in names.items():
        labels[key] = name if name not in seen and name not in nodes else key
        seen.add(labels[key])
    return labels


def _end(edge: Json, key: str, labels: dict[str, str]) -> str:
    end = edge.get(key).text()
    if end not in labels:
        raise edge.get(key).error(f"{end[:60]!r} is the id of no node")
    return labels[end]
