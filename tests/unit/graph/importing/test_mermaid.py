"""Flowcharts of Mermaid become graphs."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.errors import UsageError
from placement_cli.graph.graph import Graph
from placement_cli.graph.importing.mermaid import read_mermaid

DATA = Path(__file__).parents[3] / "data" / "graphs"


def wiring(graph: Graph) -> dict[str, list[str]]:
    """Return the names of the inputs of each node."""
    return {node.name: [edge.node for edge in node.inputs] for node in graph.nodes}


def read(*lines: str) -> dict[str, list[str]]:
    """Return the wiring of a flowchart."""
    return wiring(read_mermaid("\n".join(["flowchart LR", *lines]), "drawing").graph)


@pytest.mark.parametrize(
    "link", ["-->", "---", "==>", "-.->", "--o", "--x", "-->|text|", "-- some text -->", "== text ==>", "-. text .->"]
)
def test_every_visible_link_leads_from_left_to_right(link: str) -> None:
    """Arrows of every kind, with and without text, are edges."""
    assert read(f"a {link} b") == {"a": ["source"], "b": ["a"]}


def test_an_invisible_link_is_no_edge() -> None:
    """Links that only steer the layout say nothing about messages."""
    assert read("a ~~~ b") == {"a": ["source"], "b": ["source"]}


@pytest.mark.parametrize(
    "shape", ['["x y"]', "(x y)", "([x y])", "[[x y]]", "[(x y)]", "((x y))", "(((x y)))", ">x y]", "{x y}", "{{x y}}"]
)
def test_the_label_of_every_shape_becomes_the_name(shape: str) -> None:
    """A node is called after its label, whatever its shape."""
    assert read(f"a{shape} --> b[/z/]") == {"x-y": ["source"], "z": ["x-y"]}


def test_chains_and_ampersands_are_written_out() -> None:
    """`a & b --> c --> d` is three edges."""
    assert read("a & b --> c --> d") == {"a": ["source"], "b": ["source"], "c": ["a", "b"], "d": ["c"]}


def test_what_is_only_about_looks_is_passed_over() -> None:
    """Comments, styles, classes, clicks, directions and ids of links change nothing."""
    lines = [
        "%% a comment",
        "direction TB",
        'a:::warm e1@--> b@{ shape: rect, label: "B" }; b --> c',
        "e1@{ animate: true }",
        "classDef warm fill:#f00,stroke:#333;",
        "class a,b warm",
        "style a fill:#f9f",
        "linkStyle 0 stroke:#ff3",
        'click a "https://example.org"',
    ]
    assert read(*lines) == {"a": ["source"], "B": ["a"], "c": ["B"]}


def test_a_link_to_a_subgraph_enters_at_its_first_nodes() -> None:
    """A subgraph as the end of a link stands for the nodes at its rim."""
    found = read("subgraph pre [Before]", "a --> b", "end", "x --> pre --> y")
    assert found == {"x": ["source"], "a": ["x"], "b": ["a"], "y": ["b"]}


def test_front_matter_and_fences_are_taken() -> None:
    """A drawing copied out of a Markdown file keeps its title."""
    text = '```mermaid\n---\ntitle: "band power"\n---\ngraph TD\n  a --> b\n```\n'
    graph = read_mermaid(text, "drawing").graph
    assert graph.name == "band power"
    assert wiring(graph) == {"a": ["source"], "b": ["a"]}


def test_links_that_close_a_cycle_read_the_message_before() -> None:
    """Feedback is kept, with a lag, and told."""
    imported = read_mermaid("graph LR\n a --> b --> c --> a", "drawing")
    first = imported.graph.node("a")
    assert [(edge.node, edge.lag) for edge in first.inputs] == [("source", 0), ("c", 1)]
    assert any("c -> a" in note and "lag: 1" in note for note in imported.notes)


def test_the_drawing_of_ezmsg_becomes_its_units() -> None:
    """Streams of a unit are one node, streams of collections none, the unit that only sends is the source."""
    imported = read_mermaid((DATA / "demo.mermaid").read_text(), "demo.mermaid")
    assert wiring(imported.graph) == {
        "TOMX": ["source"],
        "BP": ["TOMX"],
        "CAR": ["BP"],
        "RECT": ["CAR"],
        "MAT": ["RECT"],
        "BIN": ["MAT"],
        "W": ["BIN"],
        "OUT": ["W"],
        "VIEW": ["RECT"],
    }
    assert imported.graph.node("VIEW").backend == "host"
    assert any(note.startswith("SYS/SRC: only sends") for note in imported.notes)


def test_notes_say_what_a_drawing_does_not_tell() -> None:
    """Shape, rate and costs are named as unknown, with the options that say them."""
    notes = " ".join(read_mermaid("graph LR\n a --> b", "drawing").notes)
    assert "--source-shape" in notes
    assert "--rate" in notes
    assert "cost" in notes


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("sequenceDiagram\n a->>b: hi", "f:1:1", "flowchart"),
        ("", "f:1:1", "flowchart"),
        ("graph LR\n a --> ", "f:2:7", "name of a node"),
        ("graph LR\n a[open", "f:2:3", "not closed"),
        ("graph LR\n a ?? b", "f:2:4", "a link"),
        ("graph LR\n end", "f:2:2", "without a subgraph"),
        ("graph LR\n subgraph x\n a-->b", "f:3:7", "not ended"),
        ("graph LR\n subgraph x\n end", "f", "no nodes"),
    ],
)
def test_what_is_no_flowchart_is_refused_with_its_place(text: str, place: str, word: str) -> None:
    """One error with line and column says what was expected."""
    with pytest.raises(UsageError) as caught:
        read_mermaid(text, "f")
    assert str(caught.value).startswith(f"{place}: ")
    assert word in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "graph LR\n" + "subgraph x\n" * 100,
        "graph LR\n" + " & ".join(f"a{i}" for i in range(400)) + " --> " + " & ".join(f"b{i}" for i in range(400)),
        "graph LR\n" + "\n".join(f"n{i}" for i in range(20_001)),
        "graph LR\n a -- " + "." * 1_000_000,
        "graph LR\n a@{ " + "label: " * 100_000,
        " " * (4 * 1024 * 1024 + 1),
    ],
)
def test_hostile_drawings_are_refused(text: str) -> None:
    """Depth, numbers and lengths have limits, and no line costs more time than its length."""
    with pytest.raises(UsageError):
        read_mermaid(text, "f")


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.sampled_from([*'ab-=.>|&;[](){}"%\n ', "-->", "subgraph ", "end\n", "a[b]", "@{", ":::x"]), max_size=30)
)
def test_any_text_is_read_or_refused(parts: list[str]) -> None:
    """Nothing but a UsageError ever comes out of a malformed drawing."""
    with suppress(UsageError):
        read_mermaid("graph LR\n" + "".join(parts), "f")
