"""Turns a draft into a graph: names, order, cycles and the source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from placement_cli.errors import UsageError
from placement_cli.graph.document.defaults import default_kind
from placement_cli.graph.document.ordering import in_order
from placement_cli.graph.document.scalars import MAX_SIDE
from placement_cli.graph.document.schema import MAX_RATE
from placement_cli.graph.document.shapes import passage, source_shapes
from placement_cli.graph.graph import ALWAYS, DTYPE_BYTES, Costs, Edge, Graph, GraphNode, GraphSource
from placement_cli.graph.importing.draft import Draft, DraftEdge, DraftNode
from placement_cli.graph.importing.imported import (
    MAX_EDGES,
    MAX_NODES,
    Asked,
    Imported,
    SourceFacts,
    check_count,
    grouped,
    listed,
)
from placement_cli.graph.importing.naming import names_for
from placement_cli.graph.importing.ordering import closing_edges
from placement_cli.graph.pipeline import SOURCE
from placement_cli.units import MAX_SIZE

ASSUMED_SAMPLES, ASSUMED_CHANNELS = 30, 256
"""The shape of a message where nobody says one."""


def settle(draft: Draft, origin: str, asked: Asked) -> Imported:
    """Return the graph a draft stands for, and notes on what had to be assumed.

    Nodes come after their inputs; an edge that closes a cycle reads the message before; a node without inputs reads
    the source. Raises UsageError when there are no nodes or too many.
    """
    check_count(sum(node.body.repeat for node in draft.nodes), MAX_NODES, "nodes", origin)
    check_count(len(draft.edges), MAX_EDGES, "edges", origin)
    kept = [node for node in draft.nodes if node.key not in draft.sources]
    if not kept:
        raise UsageError(f"{origin}: holds no nodes; expected at least one that reads the source")
    names = dict(zip((node.key for node in kept), names_for([node.label for node in kept]), strict=True))
    wiring = _wiring(draft, [node.key for node in kept])
    by_key = {node.key: node for node in kept}
    source, said = _source(asked.source.or_else(draft.source))
    nodes, refused = _checked([_named(by_key[key], names, wiring) for key in wiring.order], source)
    graph = Graph(
        source=source,
        nodes=tuple(nodes),
        name=asked.name if asked.name is not None else draft.name,
        device=asked.device,
        limits=draft.limits,
    )
    return Imported(graph, (*draft.notes, *_cycle_notes(wiring, names), *refused, *said, *_cost_notes(nodes)))


@dataclass(frozen=True, slots=True)
class _Wiring:
    """The keys in order, the edges by the node they enter, and those among them that close a cycle.

    `driven` are the nodes that read something besides outputs of which a cycle made earlier ones.
    """

    order: Sequence[str]
    entering: Mapping[str, Sequence[DraftEdge]]
    sources: frozenset[str]
    closing: Sequence[DraftEdge]
    driven: frozenset[str]


def _wiring(draft: Draft, keys: Sequence[str]) -> _Wiring:
    number = {key: place for place, key in enumerate(keys)}
    edges = [edge for edge in dict.fromkeys(draft.edges) if edge.head in number]
    inner = [edge for edge in edges if edge.tail in number and not edge.lag]
    closing = closing_edges(len(keys), [(number[edge.tail], number[edge.head]) for edge in inner])
    late = {inner[position]: replace(inner[position], lag=1) for position in sorted(closing)}
    entering: dict[str, list[DraftEdge]] = {key: [] for key in keys}
    for edge in edges:
        entering[edge.head].append(late.get(edge, edge))
    reads = {key: [edge.tail for edge in entering[key] if edge.tail in number and not edge.lag] for key in keys}
    only_late = {edge.head for edge in late} - {edge.head for edge in edges if edge not in late}
    return _Wiring(in_order(reads), entering, draft.sources, list(late), frozenset(keys) - only_late)


def _named(node: DraftNode, names: Mapping[str, str], wiring: _Wiring) -> GraphNode:
    edges = [
        Edge(SOURCE if edge.tail in wiring.sources else names[edge.tail], edge.lag, edge.leaky)
        for edge in wiring.entering[node.key]
    ]
    if not edges or node.key not in wiring.driven:
        edges.insert(0, Edge(SOURCE))
    return replace(node.body, name=names[node.key], inputs=tuple(dict.fromkeys(edges)))


def _checked(nodes: Sequence[GraphNode], source: GraphSource) -> tuple[list[GraphNode], Iterable[str]]:
    """Return the nodes without operators that cannot take what reaches them, and what was wrong with these.

    A node that does not say when it gives output is given what follows from its operator.
    """
    shapes = source_shapes(source)
    checked: list[GraphNode] = []
    remarks: list[tuple[str, str]] = []
    for node in nodes:
        kept = node
        try:
            through = passage(node, shapes, source)
        except UsageError as error:
            remarks.append((node.name, f"op {node.op} is left out: {str(error).rstrip('.')}"))
            kept = replace(node, op=None, params={})
            through = passage(kept, shapes, source)
        shapes[node.name] = through.output
        checked.append(replace(kept, emits=through.emits) if kept.op and kept.emits == ALWAYS else kept)
    return checked, grouped(remarks)


def _possible(facts: SourceFacts) -> SourceFacts:
    """Return the facts without those that no document takes."""
    samples, channels, rate = facts.samples, facts.channels, facts.rate
    if samples is not None and channels is not None:
        size = samples * channels * DTYPE_BYTES[facts.dtype or "float32"]
        if not (1 <= samples <= MAX_SIDE and 1 <= channels <= MAX_SIDE and size <= MAX_SIZE):
            samples = channels = None
    return replace(facts, samples=samples, channels=channels, rate=None if rate is None or rate > MAX_RATE else rate)


def _source(stated: SourceFacts) -> tuple[GraphSource, Iterable[str]]:
    facts = _possible(stated)
    notes = []
    if facts.samples is None or facts.channels is None:
        notes.append(
            f"The shape of a message is not in the file: {ASSUMED_SAMPLES}x{ASSUMED_CHANNELS} is assumed. "
            f"Say it with --source-shape."
        )
    if facts.rate is None:
        notes.append("How often messages come is not in the file. Say it with --rate if they come at a pace.")
    once_at_a_rate = facts.kind == "once" and facts.rate is not None  # a single pass has no rate
    source = GraphSource(
        samples=facts.samples or ASSUMED_SAMPLES,
        channels=facts.channels or ASSUMED_CHANNELS,
        dtype=facts.dtype or "float32",
        rate=facts.rate,
        messages=facts.messages,
        kind=default_kind(facts.rate) if facts.kind is None or once_at_a_rate else facts.kind,
    )
    return source, notes


def _cycle_notes(wiring: _Wiring, names: Mapping[str, str]) -> Iterable[str]:
    if wiring.closing:
        edges = listed(f"{names[edge.tail]} -> {names[edge.head]}" for edge in wiring.closing)
        yield f"{edges}: closes a cycle, so the value of the message before is read (lag: 1)."


def _cost_notes(nodes: Sequence[GraphNode]) -> Iterable[str]:
    unknown = [node.name for node in nodes if node.op is None and _unknown(node.costs)]
    if unknown:
        yield (
            f"What {len(unknown)} of {len(nodes)} nodes cost is unknown ({listed(unknown)}). "
            f"Give them an `op`, or what you know under `costs`."
        )


def _unknown(costs: Costs) -> bool:
    return costs.device_s is None and costs.host_s is None and costs.ops is None
