"""Graphs in DOT become graphs."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.errors import UsageError
from placement_cli.graph.graph import Graph
from placement_cli.graph.importing.dot import read_dot

DATA = Path(__file__).parents[3] / "data" / "graphs"


def wiring(graph: Graph) -> dict[str, list[str]]:
    """Return the names of the inputs of each node."""
    return {node.name: [edge.node for edge in node.inputs] for node in graph.nodes}


def read(body: str) -> dict[str, list[str]]:
    """Return the wiring of a digraph."""
    return wiring(read_dot(f"digraph {{ {body} }}", "drawing").graph)


def test_chains_labels_and_ports_are_read() -> None:
    """Ids may stand in quotes, ports are passed over, a label is the name."""
    assert read('a [label="first node"]; a:out:n -> "b c" -> d') == {
        "first-node": ["source"],
        "b-c": ["first-node"],
        "d": ["b-c"],
    }


def test_sets_in_braces_are_all_connected() -> None:
    """`{a b} -> {c d}` is four edges."""
    assert read("{a b} -> {c; d}") == {"a": ["source"], "b": ["source"], "c": ["a", "b"], "d": ["a", "b"]}


def test_defaults_comments_and_looks_are_passed_over() -> None:
    """Attributes of all nodes, comments of three kinds and ranks change nothing."""
    body = """
      // one
      /* two
         lines */
      # three
      node [shape=box, label="all"]; edge [color=red]; rankdir=LR;
      {rank=same; a}
      a -> b [color="red", style=bold]; b [label=<<b>B</b><br/>more>]
    """
    assert read(body) == {"a": ["source"], "B": ["a"]}


def test_edges_may_point_backwards() -> None:
    """`dir=back` turns an edge round."""
    assert read("a -> b [dir=back]") == {"b": ["source"], "a": ["b"]}


def test_undirected_graphs_are_taken_as_written() -> None:
    """Edges without a direction lead to what stands second, and a note says so."""
    imported = read_dot("graph { a -- b }", "drawing")
    assert wiring(imported.graph) == {"a": ["source"], "b": ["a"]}
    assert any("undirected" in note for note in imported.notes)


def test_nodes_with_the_same_label_stay_apart() -> None:
    """Names are made unique in the order of the file."""
    assert read('p [label=x]; q [label=x]; r [label="x-2"]; p -> q -> r') == {
        "x": ["source"],
        "x-3": ["x"],
        "x-2": ["x-3"],
    }


def test_the_drawing_of_ezmsg_becomes_its_units() -> None:
    """Both drawings of ezmsg show the same graph."""
    imported = read_dot((DATA / "demo.dot").read_text(), "demo.dot")
    assert list(wiring(imported.graph)) == ["TOMX", "BP", "CAR", "RECT", "MAT", "BIN", "W", "OUT", "VIEW"]
    assert wiring(imported.graph)["VIEW"] == ["RECT"]


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("", "f:1:1", "digraph"),
        ("digraph {\n a -> }", "f:2:7", "a node"),
        ("digraph {\n a [label=", "f:2:11", "a value"),
        ('digraph {\n "a', "f:2:2", "not closed"),
        ("digraph {\n a [label=<b", "f:2:11", "not closed"),
        ("digraph {\n /* a", "f:2:2", "comment"),
        ("digraph { a } x", "f:1:15", "end of the file"),
        ("digraph { a -> b", "f:1:17", "the file ends"),
        ("digraph { }", "f", "no nodes"),
    ],
)
def test_what_is_no_dot_is_refused_with_its_place(text: str, place: str, word: str) -> None:
    """One error with line and column says what was expected."""
    with pytest.raises(UsageError) as caught:
        read_dot(text, "f")
    assert str(caught.value).startswith(f"{place}: ")
    assert word in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "digraph {" + "{" * 100,
        "digraph { a [label=" + "<" * 100 + "]}",
        "digraph {{" + ";".join(f"a{i}" for i in range(400)) + "} -> {" + ";".join(f"b{i}" for i in range(400)) + "}}",
        "digraph { a [label=" + "+".join(['"xxxxxxxxxxxxxxxx"'] * 50_000) + "]}",
    ],
)
def test_hostile_drawings_are_refused(text: str) -> None:
    """Depth, numbers and lengths have limits."""
    with pytest.raises(UsageError):
        read_dot(text, "f")


@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from([*'ab-=>;,:[]{}"<+ \n', "->", "subgraph ", "label=", "/*", "node"]), max_size=30))
def test_any_text_is_read_or_refused(parts: list[str]) -> None:
    """Nothing but a UsageError ever comes out of a malformed drawing."""
    with suppress(UsageError):
        read_dot("digraph {" + "".join(parts) + "}", "f")
