"""`placement import` as a person meets it: another tool's file in, a graph.yaml out, and notes on what is unknown."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from placement_cli.graph.document.reading import load_graph, parse_graph
from placement_cli.graph.mode import ASYNC

DATA = Path(__file__).parents[1] / "data" / "graphs"


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("mermaid", "demo.mermaid"),
        ("node-link", "demo_neutral.json"),
    ],
)
def test_a_graph_is_printed_that_is_read_back(placement, form: str, name: str) -> None:
    """The document alone goes to stdout, notes to stderr."""
    done = placement("import", form, DATA / name)
    assert done.returncode == 0
    graph = parse_graph(done.stdout, "stdout").graph
    assert {"TOMX", "BP", "CAR", "RECT", "BIN", "W", "OUT", "VIEW"} <= {node.name for node in graph.nodes}
    assert "note: SYS/SRC: only sends" in done.stderr


def test_options_say_what_the_file_does_not(placement) -> None:
    """Shape, rate, device and name end up in the document, and are not asked for."""
    options = ("--source-shape", "20x64", "--rate", "100", "--device", "gpu", "--name", "pre-processing")
    done = placement("import", "ezmsg-dashboard", DATA / "dashboard_graph_document.json", *options)
    assert done.returncode == 0
    graph = parse_graph(done.stdout, "stdout").graph
    assert (graph.name, graph.device) == ("pre-processing", "gpu")
    assert (graph.source.samples, graph.source.channels, graph.source.rate) == (20, 64, 100)
    assert graph.node("CAR").evaluate == ASYNC
    assert "--source-shape" not in done.stderr


def test_a_file_is_not_replaced_unasked(placement) -> None:
    """`-o` writes the document; where something is already, only with `--force`."""
    shutil.copy(DATA / "demo.dot", placement.folder)
    written = placement("import", "dot", "demo.dot", "-o", "graph.yaml")
    assert (written.returncode, written.stdout) == (0, "")
    whole = (placement.folder / "graph.yaml").read_text()
    assert load_graph(placement.folder / "graph.yaml").graph.node("W").inputs

    placement.write("graph.yaml", "mine")
    refused = placement("import", "dot", "demo.dot", "-o", "graph.yaml")
    assert (refused.returncode, (placement.folder / "graph.yaml").read_text()) == (2, "mine")
    assert "--force" in refused.stderr

    assert placement("import", "dot", "demo.dot", "-o", "graph.yaml", "--force").returncode == 0
    assert (placement.folder / "graph.yaml").read_text() == whole


def test_a_pipe_is_read(placement) -> None:
    """`-` stands for standard input."""
    done = placement.shell("echo 'graph LR; a --> b' | placement import mermaid -")
    assert done.returncode == 0
    assert "b: {inputs: a}" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("import", "mermiad", "drawing"), "Did you mean 'mermaid'?"),
        (("import", "dot", "nothing.dot"), "nothing.dot: cannot be read"),
        (("import", "mermaid", "drawing"), "drawing:2:7: expected the name of a node"),
        (("import", "dot", "drawing", "--source-shape", "30"), "expected SAMPLESxCHANNELS"),
        (("import", "dot", "drawing", "--rate", "nan"), "expected messages per second"),
    ],
)
def test_mistakes_get_one_sentence(placement_module, arguments: tuple[str, ...], says: str) -> None:
    """Whatever is wrong, exit code 2 and what to do about it."""
    placement_module.write("drawing", "graph LR\n a -->\n")
    done = placement_module(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
