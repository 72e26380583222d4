"""The graphs in `examples/graphs/`: the guide says of them what the command says, and they run where they can."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from placement_cli.advice.machine import MODEL_ERROR
from placement_cli.codes import CODES

ROOT = Path(__file__).parents[2]
GRAPHS = sorted((ROOT / "examples" / "graphs").glob("*.yaml"))
GUIDE = (ROOT / "docs" / "advise.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| \[(?P<file>[\w-]+\.yaml)\]\(\.\./examples/graphs/(?P=file)\) \| [^|]+ \| (?P<verdict>[^|]+) \|$", re.M
)
PRINTED = re.compile(
    r"\$ placement advise examples/graphs/(?P<file>\S+)[^\n]*\n```\n\n```text\n(?P<text>.*?)```", re.DOTALL
)
PUBLISHED = ("--profile", "apple-m4-pro-published")
STATED = {"long-encoder.yaml", "token-loop.yaml", "vad-32ms.yaml"}
"""Graphs whose costs are stated: there is nothing in them that could be run."""

VERDICTS = {found["file"]: found["verdict"] for found in ROW.finditer(GUIDE)}


def named(path: Path) -> str:
    """Return how a test is called after a graph."""
    return path.name


@pytest.mark.parametrize("graph", GRAPHS, ids=named)
def test_the_guide_says_what_the_command_says(placement_module: Any, graph: Path) -> None:
    """The verdict of each example stands in the guide word for word; nothing of it depends on this machine."""
    done = placement_module("advise", graph, *PUBLISHED, "-q")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == VERDICTS[graph.name]


@pytest.mark.parametrize("graph", GRAPHS, ids=named)
def test_an_example_runs_or_says_that_it_cannot(placement_module: Any, graph: Path) -> None:
    """Those made of operators can be measured here; the others state costs, and say in a comment that it is so."""
    done = placement_module("bench", "--graph", graph, "--quick", "--dry-run")
    assert done.returncode == (2 if graph.name in STATED else 0), done.stderr
    assert ("cannot be run with --verify" in graph.read_text(encoding="utf-8")) is (graph.name in STATED)


@pytest.mark.parametrize("text", [GUIDE, README], ids=["guide", "readme"])
def test_what_is_shown_as_printed_begins_with_the_verdict(text: str) -> None:
    """Output in the guides is of the same command as the table of examples."""
    shown = [(found["file"], " ".join(found["text"].split())) for found in PRINTED.finditer(text)]
    assert shown
    assert all(printed.startswith(VERDICTS[file]) for file, printed in shown)


def test_the_guide_lists_every_example_finding_and_confidence() -> None:
    """Nothing is missing from its tables, and errors are those that the intervals are made with."""
    assert VERDICTS.keys() == {graph.name for graph in GRAPHS}
    assert dict(re.findall(r"^\| (PL\d{3}) \| ([a-z-]+) \|", GUIDE, re.MULTILINE)) == dict(CODES)
    for confidence, error in MODEL_ERROR.items():
        assert re.search(rf"^\| {confidence} \| .* \| {error:.0%}".replace("%", " %"), GUIDE, re.MULTILINE)
