"""Snapshots of a running ezmsg system, as its graph server gives them and the dashboard passes them on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from placement_cli.graph.importing.draft import DraftEdge, bypass
from placement_cli.graph.importing.ezmsg_unit import Unit, UnitGraph, Wire
from placement_cli.graph.importing.imported import MAX_EDGES, MAX_NODES, check_count, grouped
from placement_cli.graph.importing.json_text import Json

LEAST_MESSAGES = 20
"""Fewer messages say nothing about how often a unit gives output."""
SETTINGS_STREAM = "INPUT_SETTINGS"
OUTSIDE = "nothing is connected to it, so it is left out"


@dataclass(slots=True)
class _Streams:
    """Which unit each topic belongs to, and how it takes messages."""

    units: dict[str, str] = field(default_factory=dict)
    leaky: set[str] = field(default_factory=set)
    settings: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Counts:
    """Messages by topic, and rates."""

    received: dict[str, float] = field(default_factory=dict)
    published: dict[str, float] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Around:
    """What a snapshot says of units outside of their own descriptions."""

    document: Json
    counts: _Counts
    processes: Mapping[str, str]
    settings_topics: set[str]


def units_of_snapshot(document: Json) -> UnitGraph:
    """Return the units and wires of a snapshot; raises UsageError with the place of what is no part of one."""
    snapshot = document.get("snapshot") if "snapshot" in document.mapping() else document
    components = _components(snapshot)
    streams = _streams(components)
    edges = _edges(snapshot, streams)
    wires = _wires(edges, streams, document.origin)
    connected = {end for wire in wires for end in (wire.tail, wire.head)}
    external = _external(edges, streams)
    around = _Around(document, _counts(document.get("profiling")), _processes(snapshot), streams.settings)
    units = [
        _unit(address, component, around)
        for address, component in components.items()
        if address in connected or address in external
    ]
    addresses = set(streams.units.values())
    apart = [address for address in components if address in addresses and address not in connected | external]
    return UnitGraph(units, wires, external, grouped((each, OUTSIDE) for each in apart))


def _components(snapshot: Json) -> dict[str, Json]:
    """Return units by address; collections, which only hold units, have no streams."""
    found = {
        address: component
        for _, session in snapshot.get("sessions").members()
        for address, component in session.get("metadata").get("components").members()
        if "streams" in component.mapping()
    }
    check_count(len(found), MAX_NODES, "units", snapshot.origin)
    return found


def _streams(components: Mapping[str, Json]) -> _Streams:
    streams = _Streams()
    for address, component in components.items():
        for name, stream in component.get("streams").members():
            topic = stream.get("address").word() or f"{address}/{name}"
            streams.units[topic] = address
            if stream.get("leaky").value is True:
                streams.leaky.add(topic)
        topic_of_settings = component.get("dynamic_settings").get("input_topic").word()
        streams.settings.add(topic_of_settings or f"{address}/{SETTINGS_STREAM}")
    return streams


def _edges(snapshot: Json, streams: _Streams) -> list[DraftEdge]:
    edges = [
        DraftEdge(tail, head.text(), leaky=head.value in streams.leaky)
        for tail, heads in snapshot.get("graph").members()
        for head in heads.items()
        if head.text() not in streams.settings
    ]
    check_count(len(edges), MAX_EDGES, "edges", snapshot.origin)
    return edges


def _wires(edges: list[DraftEdge], streams: _Streams, origin: str) -> list[Wire]:
    """Return what leads from unit to unit; other topics are only names on the way."""
    topics = {end for edge in edges for end in (edge.tail, edge.head)}
    direct = bypass(edges, topics - streams.units.keys(), origin)
    kept = [edge for edge in direct if edge.tail in streams.units and edge.head in streams.units]
    made = dict.fromkeys(Wire(streams.units[edge.tail], streams.units[edge.head], edge.leaky) for edge in kept)
    leaky = {(wire.tail, wire.head) for wire in made if wire.leaky}
    return [wire for wire in made if wire.leaky or (wire.tail, wire.head) not in leaky]


def _external(edges: list[DraftEdge], streams: _Streams) -> frozenset[str]:
    """Return the units that read a topic which no unit of the snapshot sends to."""
    entered = {edge.head for edge in edges}
    roots = {edge.tail for edge in edges if edge.tail not in streams.units and edge.tail not in entered}
    readers: dict[str, list[str]] = {}
    for edge in edges:
        readers.setdefault(edge.tail, []).append(edge.head)
    reached, open_topics = set(roots), list(roots)
    while open_topics:
        for head in readers.get(open_topics.pop(), ()):
            if head not in reached:
                reached.add(head)
                if head not in streams.units:
                    open_topics.append(head)
    return frozenset(streams.units[topic] for topic in reached if topic in streams.units)


def _counts(profiling: Json) -> _Counts:
    """Return how many messages each topic saw in all: the most that any subscriber of it received."""
    counts = _Counts()
    for _, process in profiling.members():
        for _, publisher in process.get("publishers").members():
            topic = publisher.get("topic").text()
            counts.published[topic] = publisher.get("messages_published_total").number() or 0.0
            if rate := publisher.get("publish_rate_hz_window").number():
                counts.rates[topic] = rate
        for _, subscriber in process.get("subscribers").members():
            topic = subscriber.get("topic").text()
            received = subscriber.get("messages_received_total").number() or 0.0
            counts.received[topic] = max(received, counts.received.get(topic, 0.0))
    return counts


def _processes(snapshot: Json) -> dict[str, str]:
    """Return the process of each unit by its address."""
    return {
        unit.text(): str(process.get("pid").value or key)
        for key, process in snapshot.get("processes").members()
        for unit in process.get("units").items()
    }


def _settings(document: Json, address: str, component: Json) -> Mapping[str, Any]:
    """Return the settings of a unit: what the dashboard reads now, else those it began with."""
    now = document.get("settings").get(address)
    initial = component.get("initial_settings").value
    begun = initial[1] if isinstance(initial, list) and len(initial) == 2 else None  # pickled, written out
    given = now.get("structured_value").value or now.get("repr_value").value or begun
    return given if isinstance(given, dict) else {}


def _unit(address: str, component: Json, around: _Around) -> Unit:
    counts = around.counts
    topics = [stream.get("address").word() or "" for _, stream in component.get("streams").members()]
    published = max((counts.published.get(topic, 0.0) for topic in topics), default=0.0)
    data = (topic for topic in topics if topic not in around.settings_topics)
    received = max((counts.received.get(topic, 0.0) for topic in data), default=0.0)
    return Unit(
        address=address,
        kind=component.get("component_type").word(),
        settings=_settings(around.document, address, component),
        process=around.processes.get(address, ""),
        out_per_in=published / received if min(received, published) >= LEAST_MESSAGES else None,
        rate_hz=max((counts.rates[topic] for topic in topics if topic in counts.rates), default=None),
        publishes=any(task.get("publishes").value for task in component.get("tasks").items()),
    )
