"""Changes the evaluation points in the text of a document and leaves every other character of it as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from placement_cli.errors import UsageError
from placement_cli.graph.document.checks import nearest_node
from placement_cli.graph.document.entry_edits import Edit, applied, insertion, removal, replacement
from placement_cli.graph.document.reading import GraphFile, parse_graph
from placement_cli.graph.graph import GraphNode
from placement_cli.graph.mode import OFF, Mode
from placement_cli.located.places import QUOTED_CHARACTERS, Places, quoted
from placement_cli.located.spans import Span, spans_of

KEY = "evaluate"


def with_modes(text: str, modes: Mapping[str, Mode], origin: str) -> str:
    """Return the document `text`, which messages call `origin`, with these modes at the outputs of these nodes.

    Nodes that are not named keep theirs, and so does one that has the mode already, however it is written; `off` takes
    the key away. A repeated node can be named, or its copies. Raises UsageError for a text that is no graph, for a name
    that is no node, for copies of one node that would differ, for a point at a host node, and for a pinned point
    switched off.
    """
    file = parse_graph(text, origin)
    wanted = _changes(file, modes)
    nodes = spans_of(text).value("nodes")
    edits = [edit for name, mode in wanted.items() for edit in _edits(text, nodes.value(name), mode)]
    edited = applied(text, edits)
    _check(file, edited, wanted)
    return edited


def _changes(file: GraphFile, modes: Mapping[str, Mode]) -> dict[str, Mode]:
    """Return the mode of each node of the document whose mode changes."""
    nodes = {node.name: node for node in file.graph.nodes}
    copies = {name: [f"{name}.{index}" for index in range(node.repeat)] for name, node in nodes.items()}
    owners = {copy: name for name, node in nodes.items() if node.repeat > 1 for copy in copies[name]}
    for name in modes:
        if name not in nodes and name not in owners:
            hint = nearest_node(name[:QUOTED_CHARACTERS], list(nodes))
            raise UsageError(f"{file.origin}: {quoted(name)} is no node of the graph. {hint}")
    changes: dict[str, Mode] = {}
    for name in dict.fromkeys(owners.get(name, name) for name in modes):
        mode = _mode_of_all(nodes[name], copies[name], modes, file.places)
        if mode != nodes[name].evaluate:
            _check_allowed(nodes[name], mode, file.places)
            changes[name] = mode
    return changes


def _mode_of_all(node: GraphNode, copies: list[str], modes: Mapping[str, Mode], places: Places) -> Mode:
    """Return the mode that all copies of `node` get; refuse different ones, for which the document has no words."""
    usual = modes.get(node.name, node.evaluate)
    if node.repeat == 1:
        return usual
    each = [modes.get(copy, usual) for copy in copies]
    other = next((index for index, mode in enumerate(each) if mode != each[0]), None)
    if other is not None:
        what = f"copies of node {node.name!r} would differ: {copies[0]} {each[0]}, {copies[other]} {each[other]}"
        raise UsageError(f"{places.of_key('nodes', node.name)}: {what}; split the node into one for each mode")
    return each[0]


def _check_allowed(node: GraphNode, mode: Mode, places: Places) -> None:
    place = places.of_key("nodes", node.name)
    if node.backend == "host":
        raise UsageError(f"{place}: node {node.name!r} works on the host, where values are there already; not {mode}")
    if node.pinned and mode == OFF:
        raise UsageError(f"{place}: the evaluation point of node {node.name!r} is pinned; it cannot become off")


def _edits(text: str, node: Span, mode: Mode) -> list[Edit]:
    written = any(key.text == KEY for key, _ in node.entries)
    if not written:
        return [insertion(text, node, node.entry("inputs"), KEY, str(mode))]
    position = node.entry(KEY)
    if mode == OFF:
        return removal(text, node, position)
    return [replacement(node.entries[position][1], str(mode))]


def _check(file: GraphFile, edited: str, changes: Mapping[str, Mode]) -> None:
    """Make sure that the edited text says what it should, and nothing else has changed."""
    try:
        now = {node.name: node for node in parse_graph(edited, file.origin).graph.nodes}
    except UsageError:
        now = {}
    for node in file.graph.nodes:
        if now.get(node.name) != replace(node, evaluate=changes.get(node.name, node.evaluate)):
            what = f"node {node.name!r} is written in a way in which its '{KEY}' cannot be changed"
            hint = "write it as plain 'key: value' pairs"
            raise UsageError(f"{file.places.of_key('nodes', node.name)}: {what}; {hint}")
