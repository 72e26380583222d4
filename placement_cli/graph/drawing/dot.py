"""Draws a graph in the DOT language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from placement_cli.graph.drawing.picture import DrawnGroup, DrawnNode, Modes, picture_of
from placement_cli.graph.graph import Graph
from placement_cli.graph.mode import ModeKind

COLOURS = {
    ModeKind.ASYNC: 'fillcolor="#d9e8fb", color="#1f5fa8"',
    ModeKind.SYNC: 'fillcolor="#fbdcd5", color="#a8341f"',
    ModeKind.WINDOW: 'fillcolor="#d8f0dd", color="#24733a"',
    ModeKind.EVERY: 'fillcolor="#f7ebc6", color="#7d6110"',
}


def dot_text(graph: Graph, modes: Modes | None = None) -> str:
    """Return `graph` in DOT with `modes` drawn on; without them, with the evaluation points it has.

    Host nodes are hexagons, processes and threads clusters, edges of earlier messages or with a leaky reader dashed.
    Names are data: they stand in quotes, with what means something to Graphviz escaped.
    """
    picture = picture_of(graph, modes)
    lines = ["digraph {", "  rankdir=LR;", "  node [shape=box];"]
    if picture.name:
        lines.append(f"  label={_quoted(picture.name)}; labelloc=t;")
    if picture.source:
        lines.append(f"  source [label={_label(picture.source)}, shape=oval];")
    lines += _group_lines(picture.whole, "  ", "cluster_")
    for edge in picture.edges:
        looks = f" [label={_quoted(edge.label)}, style=dashed]" if edge.dashed else ""
        lines.append(f"  {edge.tail} -> {edge.head}{looks};")
    return "\n".join([*lines, "}"]) + "\n"


def escaped(text: str) -> str:
    """Return text as it stands between quotes in DOT: entities, backslashes and quotes mean themselves."""
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return shown.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def _quoted(text: str) -> str:
    return f'"{escaped(text)}"'


def _label(node: DrawnNode) -> str:
    lines = "\\n".join(map(escaped, node.lines))
    return f'"{lines}"'


def _group_lines(group: DrawnGroup, indent: str, key: str) -> Iterator[str]:
    for node in group.nodes:
        looks = [f"label={_label(node)}"]
        looks += ["shape=hexagon"] if node.host else []
        looks += ["style=filled", COLOURS[node.kind]] if node.kind else []
        yield f"{indent}{node.key} [{', '.join(looks)}];"
    for number, inner in enumerate(group.groups.values()):
        yield f"{indent}subgraph {key}{number} {{"
        yield f"{indent}  label={_quoted(inner.label)};"
        yield from _group_lines(inner, indent + "  ", f"{key}{number}_")
        yield f"{indent}}}"
