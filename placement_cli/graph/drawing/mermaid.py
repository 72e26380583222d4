"""Draws a graph as a flowchart of Mermaid, which GitHub and many editors show."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from placement_cli.graph.drawing.picture import DrawnGroup, DrawnNode, Modes, picture_of
from placement_cli.graph.graph import Graph
from placement_cli.graph.mode import ModeKind

COLOURS = {
    ModeKind.ASYNC: "fill:#d9e8fb,stroke:#1f5fa8,color:#10243f",
    ModeKind.SYNC: "fill:#fbdcd5,stroke:#a8341f,color:#3f1610",
    ModeKind.WINDOW: "fill:#d8f0dd,stroke:#24733a,color:#103f1d",
    ModeKind.EVERY: "fill:#f7ebc6,stroke:#7d6110,color:#3b2e08",
}
"""Light ground, dark line and text: read in print and by people who do not see red and green apart."""
_SPECIAL = re.compile(r"[^\w .,/()+-]|\n")


def mermaid_text(graph: Graph, modes: Modes | None = None) -> str:
    """Return the flowchart of `graph` with `modes` drawn on; without them, with the evaluation points it has.

    Host nodes are hexagons, processes and threads frames, edges of earlier messages or with a leaky reader dashed.
    Names are data: whatever could mean something to Mermaid or HTML is written as a number.
    """
    picture = picture_of(graph, modes)
    lines = ["---", f"title: {json.dumps(picture.name, ensure_ascii=False)}", "---"] if picture.name else []
    lines.append("flowchart LR")
    if picture.source:
        lines.append(f'  source(["{_label(picture.source)}"])')
    lines += _group_lines(picture.whole, "  ", "g")
    for edge in picture.edges:
        link = f'-.->|"{escaped(edge.label)}"|' if edge.dashed else "-->"
        lines.append(f"  {edge.tail} {link} {edge.head}")
    return "\n".join([*lines, *_class_lines(picture.whole)]) + "\n"


def escaped(text: str) -> str:
    """Return text with every character that means something to Mermaid or HTML written as its number."""
    return _SPECIAL.sub(_number, text)


def _number(found: re.Match[str]) -> str:
    char = found[0]
    return f"#{ord(char)};" if char.isprintable() else "\N{REPLACEMENT CHARACTER}"


def _label(node: DrawnNode) -> str:
    return "<br/>".join(map(escaped, node.lines))


def _group_lines(group: DrawnGroup, indent: str, key: str) -> Iterator[str]:
    for node in group.nodes:
        label = f'"{_label(node)}"'
        yield f"{indent}{node.key}{{{{{label}}}}}" if node.host else f"{indent}{node.key}[{label}]"
    for number, inner in enumerate(group.groups.values()):
        yield f'{indent}subgraph {key}{number}["{escaped(inner.label)}"]'
        yield from _group_lines(inner, indent + "  ", f"{key}{number}_")
        yield f"{indent}end"


def _class_lines(whole: DrawnGroup) -> Iterator[str]:
    """Yield the colours, and which nodes have them."""
    coloured: dict[ModeKind, list[str]] = {}
    for node in _nodes(whole):
        if node.kind:
            coloured.setdefault(node.kind, []).append(node.key)
    for kind, keys in coloured.items():
        yield f"  classDef {kind} {COLOURS[kind]}"
        yield f"  class {','.join(keys)} {kind}"


def _nodes(group: DrawnGroup) -> Iterator[DrawnNode]:
    yield from group.nodes
    for inner in group.groups.values():
        yield from _nodes(inner)
