"""Evaluation points change in the text of a document, and nothing else does."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.errors import UsageError
from placement_cli.graph.document.reading import parse_graph
from placement_cli.graph.document.writing import graph_text, with_modes
from placement_cli.graph.graph import Graph
from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode, window

HEAD = """\
version: 1   # the only one
source: {shape: [30, 256],  dtype: 'float32'}
nodes:
"""


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_the_modes_are_there_and_everything_else_is_as_it_was(
    graphs: st.SearchStrategy[Graph], any_modes: st.SearchStrategy[Mode], data: st.DataObject
) -> None:
    """Whatever the graph and the modes: as values, and line by line where no mode has changed."""
    graph = data.draw(graphs)
    free = [node for node in graph.nodes if node.backend == "mlx" and not node.pinned]
    changed = {node.name: data.draw(any_modes) for node in free if data.draw(st.booleans())}
    text = graph_text(graph)

    edited = with_modes(text, changed, "f")

    nodes = tuple(replace(node, evaluate=changed.get(node.name, node.evaluate)) for node in graph.nodes)
    assert parse_graph(edited, "f").graph == replace(graph, nodes=nodes)
    back = {node.name: node.evaluate for node in free}
    assert parse_graph(with_modes(edited, back, "f"), "f").graph == graph


EDITS = [
    # added behind the inputs
    ("  a: {op: abs, inputs: source}", ASYNC, "  a: {op: abs, inputs: source, evaluate: async}"),
    ("  a: {inputs: [source],costs: {}}", window(4), "  a: {inputs: [source], evaluate: window:4,costs: {}}"),
    ("  a: {inputs: source,}   # why", SYNC, "  a: {inputs: source, evaluate: sync,}   # why"),
    ('  "a": {"inputs": "source"}', SYNC, '  "a": {"inputs": "source", "evaluate": "sync"}'),
    ("  a:\n    inputs: source   # why", SYNC, "  a:\n    inputs: source   # why\n    evaluate: sync"),
    ("  a:\n    inputs: source\n    op: abs", SYNC, "  a:\n    inputs: source\n    evaluate: sync\n    op: abs"),
    ("  a:\n    inputs:\n    - source", SYNC, "  a:\n    evaluate: sync\n    inputs:\n    - source"),
    ("  a:\n      inputs: >-\n        source", SYNC, "  a:\n      evaluate: sync\n      inputs: >-\n        source"),
    (
        "  a:\r\n    inputs: source\r\n    op: abs",
        SYNC,
        "  a:\r\n    inputs: source\r\n    evaluate: sync\r\n    op: abs",
    ),
    # changed in its place
    ("  a: {evaluate:   sync, inputs: source}", ASYNC, "  a: {evaluate:   async, inputs: source}"),
    ("  a: {inputs: source, evaluate: 'window:4'}", SYNC, "  a: {inputs: source, evaluate: 'sync'}"),
    ("  a: {inputs: source, evaluate: false}", SYNC, "  a: {inputs: source, evaluate: sync}"),
    (
        "  a:\n    evaluate: sync # why\n    inputs: source",
        ASYNC,
        "  a:\n    evaluate: async # why\n    inputs: source",
    ),
    # taken away
    ("  a: {op: abs, inputs: source, evaluate: sync}", OFF, "  a: {op: abs, inputs: source}"),
    ("  a: {op: abs, evaluate: sync, inputs: source}", OFF, "  a: {op: abs, inputs: source}"),
    ("  a: {evaluate: sync, inputs: source}", OFF, "  a: {inputs: source}"),
    ("  a: {inputs: source, evaluate: sync,}", OFF, "  a: {inputs: source, }"),
    ("  a: {inputs: source,\n      evaluate: sync}", OFF, "  a: {inputs: source}"),
    ("  a: {op: abs,\n      evaluate: sync,\n      inputs: source}", OFF, "  a: {op: abs,\n      inputs: source}"),
    ("  a: {inputs: source,  # x\n      evaluate: sync}", OFF, "  a: {inputs: source  # x\n      }"),
    ("  a: {evaluate: sync,  # x\n      inputs: source}", OFF, "  a: {  # x\n      inputs: source}"),
    ("  a: {evaluate: sync  # x\n     , inputs: source}", OFF, "  a: {  # x\n      inputs: source}"),
    ("  a:\n    op: abs\n    evaluate: sync\n    inputs: source", OFF, "  a:\n    op: abs\n    inputs: source"),
    ("  a:\n    inputs: source\n    evaluate: sync  # x", OFF, "  a:\n    inputs: source\n    # x"),
    # left as it is
    ("  a: {inputs: source, evaluate: off}", OFF, "  a: {inputs: source, evaluate: off}"),
    ("  a: {inputs: source, evaluate: false}", OFF, "  a: {inputs: source, evaluate: false}"),
    ("  a: {inputs: source, evaluate: 'sync'}", SYNC, "  a: {inputs: source, evaluate: 'sync'}"),
]


@pytest.mark.parametrize(("before", "mode", "after"), EDITS)
@pytest.mark.parametrize("end", ["", "\n", "\n  b: {inputs: a, evaluate: async}\n", "\n# the end\n"])
def test_only_the_mode_changes(before: str, mode: Mode, after: str, end: str) -> None:
    """In flow and in block style, whatever follows; quotes, comments and blanks stay as they are."""
    assert with_modes(HEAD + before + end, {"a": mode}, "f") == HEAD + after + end


def test_a_byte_order_mark_moves_nothing() -> None:
    """Places in the text count it."""
    text = "\ufeff" + HEAD + "  a: {inputs: source}\n"

    assert with_modes(text, {"a": SYNC}, "f") == text.replace("source}", "source, evaluate: sync}")


def test_copies_of_a_repeated_node_share_one_mode() -> None:
    """It may be given for the node or for each copy."""
    text = HEAD + "  a: {inputs: source, repeat: 2}\n"
    expected = HEAD + "  a: {inputs: source, evaluate: sync, repeat: 2}\n"

    assert with_modes(text, {"a": SYNC}, "f") == expected
    assert with_modes(text, {"a.0": SYNC, "a.1": SYNC}, "f") == expected
    assert with_modes(text, {"a.0": OFF, "a.1": OFF}, "f") == text


ERRORS = [
    ("{inputs: source}", {"b": SYNC}, "f: 'b' is no node of the graph. "),
    ("{inputs: source}", {"a.0": SYNC}, "f: 'a.0' is no node of the graph. Did you mean 'a'?"),
    ("{inputs: source}", {"source": SYNC}, "f: 'source' is no node of the graph."),
    (
        "{inputs: source, repeat: 3}",
        {"a.2": SYNC},
        "f:4:3: copies of node 'a' would differ: a.0 off, a.2 sync; split the node into one for each mode",
    ),
    ("{inputs: source, backend: host}", {"a": SYNC}, "f:4:3: node 'a' works on the host"),
    ("{inputs: source, evaluate: sync, pinned: true}", {"a": OFF}, "f:4:3: the evaluation point of node 'a' is pinned"),
    ("{inputs: source, ? evaluate : sync}", {"a": OFF}, "f:4:3: node 'a' is written in a way in which its 'evaluate'"),
    ("{inputs: sauce}", {"a": OFF}, "f:4:15: node 'a' reads 'sauce'"),
]


@pytest.mark.parametrize(("node", "modes", "message"), ERRORS)
def test_what_cannot_be_is_refused_in_one_sentence(node: str, modes: dict[str, Mode], message: str) -> None:
    """Names that are no nodes, modes that nodes cannot have, and styles that cannot be edited."""
    with pytest.raises(UsageError) as raised:
        with_modes(f"{HEAD}  a: {node}\n", modes, "f")

    assert str(raised.value).startswith(message)
