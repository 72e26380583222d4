"""From the units of an ezmsg system to a graph: what each does with MLX arrays, where evaluation points already are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from placement_cli.graph.document.ordering import in_order
from placement_cli.graph.graph import Emission, GraphNode
from placement_cli.graph.importing.attributes import body_of
from placement_cli.graph.importing.draft import Draft, DraftEdge, DraftNode, bypass
from placement_cli.graph.importing.ezmsg_behaviour import Behaviour, Flow, Settings
from placement_cli.graph.importing.ezmsg_processors import known_look
from placement_cli.graph.importing.ezmsg_source import source_facts, source_unit
from placement_cli.graph.importing.ezmsg_unit import Unit, UnitGraph, is_sigproc
from placement_cli.graph.importing.imported import Asked, Imported, SourceFacts, grouped
from placement_cli.graph.importing.naming import one_line
from placement_cli.graph.importing.ordering import closing_edges
from placement_cli.graph.importing.settling import settle
from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode

ALWAYS_ABOVE = 0.98
"""Messages out for each one in, from which on a unit counts as one that withholds nothing; the last ones are on their
way when somebody counts."""
EXACT = 0.02
"""How near messages in for each one out must be to a whole number to be taken for it."""
ASSUMED_SHARE = 0.5
STRENGTH: Mapping[Mode, int] = {OFF: 0, ASYNC: 1, SYNC: 2}

PROBE = "\0"
"""What makes of the address of an evaluation point one that stands for what it reads."""

OUTSIDE = "\0outside"
"""Stands for topics that units read and no unit of the system sends to."""
SOURCE_NOTE = "only sends, so it is taken as the source itself"
POINTLESS = "evaluates what is there already, so it is left out"
UNKNOWN = "what its class does with MLX is not known; it is taken as lazy, without state"
SINK = "its class is not known and it only receives, so it is taken as host work"
SHARE_UNKNOWN = "may withhold output, how often is not known; `emits: {probability: 0.5}` is assumed"
TOO_MANY_INPUTS = "several units send to it, so it is no operator of one input"


def import_units(system: UnitGraph, origin: str, asked: Asked) -> Imported:
    """Return the graph of an ezmsg system; raises UsageError when it holds no units or too many."""
    source = source_unit(system)
    known = source_facts(source) if source is not None else SourceFacts()
    read = _Reading(system, source, asked.source.or_else(known))
    read.units()
    edges = [DraftEdge(wire.tail, wire.head, leaky=wire.leaky) for wire in system.wires]
    edges += [DraftEdge(OUTSIDE, address) for address in sorted(system.external)]
    points = read.move_points(edges, origin)
    kept = [node for key, node in read.nodes.items() if key not in points]
    if source is not None:
        kept.append(DraftNode(source.address, source.address))
        read.say(source.address, SOURCE_NOTE + _told(known))
    if system.external:
        kept.append(DraftNode(OUTSIDE, OUTSIDE))
    draft = Draft(
        nodes=kept,
        edges=bypass(edges, points, origin),
        sources=frozenset({OUTSIDE, source.address} if source else {OUTSIDE}),
        source=known,
        notes=(*system.notes, *grouped(read.remarks)),
    )
    return settle(draft, origin, asked)


@dataclass(slots=True)
class _Reading:
    """Goes through the units in the order of messages and finds out what each does with what reaches it."""

    system: UnitGraph
    source: Unit | None
    facts: SourceFacts
    nodes: dict[str, DraftNode] = field(default_factory=dict)
    flows: dict[str, Flow] = field(default_factory=dict)
    found: dict[str, Behaviour] = field(default_factory=dict)
    remarks: list[tuple[str, str]] = field(default_factory=list)

    def say(self, address: str, remark: str) -> None:
        self.remarks.append((address, remark))

    def units(self) -> None:
        readers = {wire.tail for wire in self.system.wires}
        tails = _tails(self.system)
        ordered = list(self._ordered(tails))
        processes = _process_names(ordered)
        first = self._first_flow()
        if self.source is not None:
            self.flows[self.source.address] = first
        for unit in ordered:
            inputs = [self.flows[tail] for tail in tails[unit.address] if tail in self.flows] or [first]
            behaviour = self._behaviour(unit, _joined(inputs), unit.address in readers)
            self.flows[unit.address], self.found[unit.address] = behaviour.out, behaviour
            body = self._body(unit, behaviour, len(tails[unit.address]))
            body = replace(body, process=processes.get(unit.process, ""))
            self.nodes[unit.address] = DraftNode(unit.address, unit.address, body)

    def _ordered(self, tails: Mapping[str, Sequence[str]]) -> Iterable[Unit]:
        units = {unit.address: unit for unit in self.system.units if unit is not self.source}
        number = {address: place for place, address in enumerate(units)}
        ends = [(number[tail], number[head]) for head in units for tail in tails[head] if tail in number]
        closing = closing_edges(len(units), ends)
        reads: dict[str, list[str]] = {address: [] for address in units}
        addresses = list(units)
        for place, (tail, head) in enumerate(ends):
            if place not in closing:
                reads[addresses[head]].append(addresses[tail])
        return (units[address] for address in in_order(reads))

    def _first_flow(self) -> Flow:
        """Return what the source sends: NumPy arrays, unless nothing ever turns them into MLX's."""
        converts = any(
            unit.class_name == "AsArray" and Settings(unit.settings).word("backend") == "mlx"
            for unit in self.system.units
        )
        samples, rate = self.facts.samples, self.facts.rate
        sample_rate = samples * rate if samples is not None and rate is not None else None
        return Flow("numpy" if converts else "mlx", sample_rate, samples, 2)

    def _behaviour(self, unit: Unit, flow: Flow, read: bool) -> Behaviour:
        look = known_look(unit.class_name) if is_sigproc(unit.kind) else None
        if look is None:
            return self._unknown(unit, flow, read)
        found = look(Settings(unit.settings), flow)
        if flow.arrays == "numpy" and found.out.arrays == "numpy":  # nothing of it concerns MLX
            return Behaviour(found.out, backend="host", emits=found.emits, passes=found.passes)
        return found

    def _unknown(self, unit: Unit, flow: Flow, read: bool) -> Behaviour:
        out = replace(flow, samples=None, rank=None)
        if not read and not unit.publishes:
            self.say(unit.address, SINK)
            return Behaviour(out, backend="host")
        if flow.arrays == "numpy":
            return Behaviour(out, backend="host")
        self.say(unit.address, UNKNOWN)
        return Behaviour(out)

    def _body(self, unit: Unit, behaviour: Behaviour, inputs: int) -> GraphNode:
        for remark in behaviour.says:
            self.say(unit.address, remark)
        emits = _seen(unit.out_per_in) or behaviour.emits
        if emits is None:
            self.say(unit.address, SHARE_UNKNOWN)
            emits = Emission(probability=ASSUMED_SHARE)
        body = replace(behaviour.body(), emits=emits)
        if body.op not in (None, "join") and inputs > 1:
            self.say(unit.address, TOO_MANY_INPUTS)
            body = replace(body, op=None, params={})
        body, left_out = body_of(unit.attributes, body)
        for remark in left_out:
            self.say(unit.address, remark)
        return body

    def move_points(self, edges: Sequence[DraftEdge], origin: str) -> frozenset[str]:
        """Give the modes of Materialize units to the nodes before them, and return the addresses of these units."""
        points = {address: f"{address}{PROBE}" for address, behaviour in self.found.items() if behaviour.passes}
        probes = [DraftEdge(edge.tail, points[edge.head]) for edge in edges if edge.head in points]
        inner = [edge for edge in edges if edge.head in points]
        before: dict[str, list[str]] = {probe: [] for probe in points.values()}
        for edge in bypass([*inner, *probes], points.keys(), origin):
            before[edge.head].append(edge.tail)
        for address, probe in points.items():
            self._move(address, before[probe])
        return frozenset(points)

    def _move(self, address: str, before: Sequence[str]) -> None:
        mode = self.found[address].evaluate
        for tail in before:
            node = self.nodes.get(tail)
            if node is None or node.body.backend == "host":
                self.say(address, POINTLESS)
            elif STRENGTH.get(mode, 0) >= STRENGTH.get(node.body.evaluate, 0):
                self.nodes[tail] = replace(node, body=replace(node.body, evaluate=mode))
                self.say(address, f"is an evaluation point, so it is `evaluate: {mode}` of the node before it")


def _told(facts: SourceFacts) -> str:
    """Return what the source tells about its messages, for the note about it."""
    shape = "" if facts.samples is None else f": messages of {facts.samples}x{facts.channels}"
    rate = "" if facts.rate is None else f", {facts.rate:.12g} a second"
    return f"{shape}{rate}"


def _tails(system: UnitGraph) -> dict[str, list[str]]:
    tails: dict[str, list[str]] = {unit.address: [] for unit in system.units}
    for wire in system.wires:
        if wire.tail not in tails[wire.head]:
            tails[wire.head].append(wire.tail)
    return tails


def _joined(flows: Sequence[Flow]) -> Flow:
    """Return what a unit with several inputs receives; MLX arrays if any of them is one."""
    first = next((flow for flow in flows if flow.arrays == "mlx"), flows[0])
    return first if all(flow == first for flow in flows) else replace(first, rank=None)


def _seen(out_per_in: float | None) -> Emission | None:
    """Return the emission that was seen at run time."""
    if out_per_in is None or out_per_in <= 0:
        return None
    if out_per_in >= ALWAYS_ABOVE:
        return Emission()
    every = round(1 / out_per_in)
    if every > 1 and abs(1 / out_per_in - every) <= EXACT * every:
        return Emission(every=every)
    return Emission(probability=out_per_in)


def _process_names(units: Sequence[Unit]) -> dict[str, str]:
    """Return a name for each process: numbers of processes, which differ from run to run, are counted up instead."""
    processes = list(dict.fromkeys(unit.process for unit in units if unit.process))
    if len(processes) < 2:
        return {}
    return {
        process: f"process-{number}" if process.isdecimal() else one_line(process)
        for number, process in enumerate(processes, start=1)
    }
