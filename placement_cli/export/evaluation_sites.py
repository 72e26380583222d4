"""Where a placement changes what a graph does today: the nodes whose evaluation is added, changed or taken away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from placement_cli.advice.copies import copy_names, folded
from placement_cli.graph.graph import Graph, GraphNode
from placement_cli.graph.mode import OFF, Mode


@dataclass(frozen=True, slots=True)
class Site:
    """One output whose mode changes: a node's, that of one of its copies, or that of all its copies alike."""

    name: str
    node: GraphNode
    today: Mode
    mode: Mode

    @property
    def copies(self) -> int:
        """How many outputs this stands for."""
        return self.node.repeat if self.name == self.node.name else 1

    @property
    def title(self) -> str:
        """Who it is and what changes."""
        times = f" ({self.copies} copies)" if self.copies > 1 else ""
        return f"{self.name!r}{times}: {self.today} -> {self.mode}"


def changed_sites(graph: Graph, placement: Mapping[str, Mode], current: Mapping[str, Mode]) -> tuple[Site, ...]:
    """Return the sites in the order of the graph; what `current` does not name is off today."""
    advised, today = folded(graph, placement), folded(graph, current)
    return tuple(site for node in graph.nodes for site in _of_node(node, advised, today) if site.today != site.mode)


def _of_node(node: GraphNode, advised: Mapping[str, Mode], today: Mapping[str, Mode]) -> Iterator[Site]:
    """Yield one site where all copies change alike, else one for each copy."""
    if node.name in advised and (node.name in today or not any(name in today for name in copy_names(node))):
        yield Site(node.name, node, today.get(node.name, OFF), advised[node.name])
        return
    for name in copy_names(node):
        mode = advised.get(name, advised.get(node.name))
        if mode is not None:
            yield Site(name, node, today.get(name, today.get(node.name, OFF)), mode)
