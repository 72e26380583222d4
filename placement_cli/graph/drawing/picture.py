"""What a drawing of a graph shows, before it is written in one language or another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from placement_cli.graph.graph import Edge, Graph, GraphNode, GraphSource
from placement_cli.graph.mode import OFF, Mode, ModeKind
from placement_cli.graph.pipeline import SOURCE

Modes = Mapping[str, Mode]
"""Node to the mode at its output; copies of a repeated node by their own names."""


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """One node. `lines` stand below each other, the name first; `kind` is how it is coloured."""

    key: str
    lines: tuple[str, ...]
    host: bool
    kind: ModeKind | None = None


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """One edge between keys; a dashed one carries values of earlier messages, or may drop them."""

    tail: str
    head: str
    label: str = ""

    @property
    def dashed(self) -> bool:
        """Whether not every message is read here when it comes."""
        return bool(self.label)


@dataclass(slots=True)
class DrawnGroup:
    """A process, or a thread within one; the outermost group has no label."""

    label: str = ""
    nodes: list[DrawnNode] = field(default_factory=list)
    groups: dict[str, DrawnGroup] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Picture:
    """A whole drawing; `source` is None when nothing reads it."""

    name: str
    source: DrawnNode | None
    whole: DrawnGroup
    edges: Sequence[DrawnEdge]


def picture_of(graph: Graph, modes: Modes | None) -> Picture:
    """Return what to draw of `graph` with `modes`; None draws the evaluation points that it already has."""
    keys = {node.name: f"n{number}" for number, node in enumerate(graph.nodes)} | {SOURCE: SOURCE}
    edges = [_edge(edge, keys, node.name) for node in graph.nodes for edge in node.inputs]
    whole = DrawnGroup()
    for node in graph.nodes:
        _group(whole, node).nodes.append(_node(node, keys[node.name], modes))
    read = any(edge.tail == SOURCE for edge in edges)
    source = DrawnNode(SOURCE, _source_lines(graph.source), host=False) if read else None
    return Picture(graph.name, source, whole, edges)


def _group(whole: DrawnGroup, node: GraphNode) -> DrawnGroup:
    group = whole
    for kind, name in (("process", node.process), ("thread", node.thread)):
        if name:
            label = f"{kind} {name}"
            group = group.groups.setdefault(label, DrawnGroup(label))
    return group


def _node(node: GraphNode, key: str, modes: Modes | None) -> DrawnNode:
    found = _modes(node, modes)
    title = node.name if node.repeat == 1 else f"{node.name} \N{MULTIPLICATION SIGN} {node.repeat}"
    kinds = [mode.kind for mode in found if mode.submits]
    host = node.backend == "host"
    lines = [title, node.op or "", "host" if host else "", _mode_line(found)]
    return DrawnNode(key, tuple(filter(None, lines)), host, kinds[0] if kinds else None)


def _modes(node: GraphNode, modes: Modes | None) -> list[Mode]:
    """Return the mode of each copy of a node."""
    if modes is None or node.name in modes:
        return [node.evaluate if modes is None else modes[node.name]] * node.repeat
    return [modes.get(f"{node.name}.{number}", OFF) for number in range(node.repeat)]


def _mode_line(modes: Sequence[Mode]) -> str:
    """Return the modes in capitals; where copies differ, with the number of copies that have each."""
    counted = Counter(mode for mode in modes if mode.submits)
    if len(counted) == 1 and counted.total() == len(modes):
        return str(modes[0]).upper()
    return ", ".join(f"{str(mode).upper()} at {count} of {len(modes)}" for mode, count in counted.items())


def _edge(edge: Edge, keys: Mapping[str, str], head: str) -> DrawnEdge:
    says = [f"lag {edge.lag}"] if edge.lag else []
    says += ["leaky"] if edge.leaky else []
    return DrawnEdge(keys[edge.node], keys[head], ", ".join(says))


def _source_lines(source: GraphSource) -> tuple[str, ...]:
    rate = () if source.rate is None else (f"{source.rate:.12g} a second",)
    return (SOURCE, f"{source.samples} x {source.channels} {source.dtype}", *rate)
