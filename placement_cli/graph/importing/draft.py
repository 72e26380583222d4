"""A graph on its way in: nodes by the names of the file, edges in any order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from placement_cli.graph.graph import GraphNode, Limits
from placement_cli.graph.importing.imported import MAX_EDGES, SourceFacts, check_count

NOTHING_KNOWN = GraphNode(name="", inputs=())


@dataclass(frozen=True, slots=True)
class DraftNode:
    """One node: `key` as edges call it, `label` as its name is made of, `body` without name and inputs."""

    key: str
    label: str
    body: GraphNode = NOTHING_KNOWN


@dataclass(frozen=True, slots=True)
class DraftEdge:
    """From the output of `tail` to `head`, both keys."""

    tail: str
    head: str
    lag: int = 0
    leaky: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """What a file says. `sources` are keys that stand for the messages that come in; they are among the nodes."""

    nodes: Sequence[DraftNode]
    edges: Sequence[DraftEdge]
    name: str = ""
    sources: frozenset[str] = frozenset()
    source: SourceFacts = field(default_factory=SourceFacts)
    limits: Limits = field(default_factory=Limits)
    notes: tuple[str, ...] = ()


def bypass(edges: Sequence[DraftEdge], through: Collection[str], origin: str) -> list[DraftEdge]:
    """Return the edges between all nodes but `through`: what enters one of these goes on to whatever it leaves for.

    An edge made of two is leaky when one of them is, and its lag is their sum. Raises UsageError when there are too
    many.
    """
    entering: dict[str, list[DraftEdge]] = {}
    for edge in edges:
        if edge.head in through:
            entering.setdefault(edge.head, []).append(edge)
    reached = _Reached(entering, frozenset(through), origin)
    made: list[DraftEdge] = []
    for edge in edges:
        if edge.head in through:
            continue
        made += [edge] if edge.tail not in through else _joined(reached.into(edge.tail), edge)
        check_count(len(made), MAX_EDGES, "edges", origin)
    return made


@dataclass(slots=True)
class _Reached:
    """The edges from nodes that stay into nodes that go, however many of these are between."""

    entering: dict[str, list[DraftEdge]]
    through: frozenset[str]
    origin: str
    known: dict[str, list[DraftEdge]] = field(default_factory=dict)
    total: int = 0

    def into(self, node: str) -> list[DraftEdge]:
        """Return them for `node`; a cycle of nodes that go is entered once."""
        stack = [node]
        begun: set[str] = set()
        while stack:
            top = stack[-1]
            before = [edge.tail for edge in self.entering.get(top, ()) if edge.tail in self.through]
            missing = [tail for tail in before if tail not in self.known and tail not in begun]
            begun.add(top)
            if missing and top not in self.known:
                stack += missing
                continue
            stack.pop()
            if top not in self.known:
                self._know(top)
        return self.known[node]

    def _know(self, node: str) -> None:
        found: dict[DraftEdge, None] = {}
        for edge in self.entering.get(node, ()):
            ends = _joined(self.known.get(edge.tail, []), edge) if edge.tail in self.through else [edge]
            found.update(dict.fromkeys(ends))
        self.known[node] = list(found)
        self.total += len(found)
        check_count(self.total, MAX_EDGES, "edges", self.origin)


def _joined(firsts: Sequence[DraftEdge], second: DraftEdge) -> list[DraftEdge]:
    return [DraftEdge(first.tail, second.head, first.lag + second.lag, first.leaky or second.leaky) for first in firsts]
