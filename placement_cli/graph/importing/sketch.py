"""A drawing as it is read: nodes with labels, groups within groups, edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from placement_cli.errors import UsageError
from placement_cli.graph.importing.imported import MAX_DEPTH, MAX_EDGES, MAX_LABEL, MAX_NODES

Refuse = Callable[[str], UsageError]
"""Makes the error that says something about the place that is being read."""


@dataclass(slots=True)
class SketchNode:
    """One node: its label, and the innermost group it stands in (a position in the list of groups)."""

    key: str
    label: str | None = None
    group: int | None = None

    @property
    def title(self) -> str:
        """What people read: the label, or the key where there is none."""
        return self.key if self.label is None else self.label


@dataclass(slots=True)
class SketchGroup:
    """One group: its label, the group around it, and what it is called where an edge ends at it."""

    key: str
    label: str
    parent: int | None


@dataclass(frozen=True, slots=True)
class SketchEdge:
    """From one node to another, with the text on the way."""

    tail: str
    head: str
    label: str = ""


@dataclass(slots=True)
class Sketch:
    """What was drawn so far; `open_groups` are the groups that the reader is inside of, the innermost last."""

    refuse: Refuse
    name: str = ""
    nodes: dict[str, SketchNode] = field(default_factory=dict)
    groups: list[SketchGroup] = field(default_factory=list)
    edges: list[SketchEdge] = field(default_factory=list)
    open_groups: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def mention(self, key: str, label: str | None = None) -> SketchNode:
        """Note that a node is drawn here; the first group it is drawn in is its own."""
        node = self.nodes.get(key)
        if node is None:
            node = self.nodes[key] = SketchNode(key)
            if len(self.nodes) > MAX_NODES:
                raise self.refuse(f"more than {MAX_NODES} nodes")
        if label is not None:
            node.label = label[:MAX_LABEL]
        if node.group is None and self.open_groups:
            node.group = self.open_groups[-1]
        return node

    def connect(self, tails: Iterable[str], heads: Sequence[str], label: str = "") -> None:
        """Draw an edge from each of `tails` to each of `heads`."""
        for tail in tails:
            self.edges += [SketchEdge(tail, head, label[:MAX_LABEL]) for head in heads]
            if len(self.edges) > MAX_EDGES:
                raise self.refuse(f"more than {MAX_EDGES} edges")

    def open_group(self, key: str, label: str) -> None:
        """Begin a group inside the one that is open."""
        if len(self.open_groups) >= MAX_DEPTH:
            raise self.refuse(f"groups nested deeper than {MAX_DEPTH} levels")
        if len(self.groups) >= MAX_NODES:
            raise self.refuse(f"more than {MAX_NODES} groups")
        self.groups.append(SketchGroup(key, label[:MAX_LABEL], self.open_groups[-1] if self.open_groups else None))
        self.open_groups.append(len(self.groups) - 1)

    def close_group(self) -> int:
        """End the innermost group and return its number."""
        return self.open_groups.pop()

    def around(self, group: int | None) -> list[SketchGroup]:
        """Return the groups around a node, the outermost first."""
        found: list[SketchGroup] = []
        while group is not None:
            found.append(self.groups[group])
            group = self.groups[group].parent
        return found[::-1]
