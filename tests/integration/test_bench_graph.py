"""`placement bench --graph`: placements of a person's own graph are measured as the arms of a scenario are."""

from __future__ import annotations

import csv
import io
import json

import pytest

GRAPH = """\
version: 1
name: two steps
source: {shape: [8, 8], messages: 20}
nodes:
  filter:  {op: sosfilt, params: {sections: 1}, inputs: source, evaluate: sync}
  rectify: {op: abs, inputs: filter, evaluate: "window:2"}
  decode:  {backend: host, inputs: rectify, costs: {host: 20 us}}
"""
SHORT = ("--quick", "--time-budget", "2s")
"""A block or two: enough to see what is run."""


def test_a_graph_is_measured_with_its_own_modes(placement) -> None:
    """The document holds the pipeline that ran, the mode of every node, what each arm took, and what was left out."""
    placement.write("graph.yaml", GRAPH.replace("costs: {host: 20 us}", "state: none"))
    done = placement(
        *("bench", "--graph", "graph.yaml", "--arm", "async", "--arm", "current", *SHORT),
        *("--device", "cpu", "--json", "-o", "run.csv", "-o", "run.md"),
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    (case,) = document["cases"]
    assert (case["id"], case["scenario"], case["base"]) == ("two-steps[messages=20]", "two-steps", "async")
    assert [node["op"] for node in case["pipeline"]["nodes"]] == ["sosfilt", "abs", "values"]
    assert case["arms"]["current"]["mode"] == "mixed"
    assert case["arms"]["current"]["modes"] == {"filter": "sync", "rectify": "window:2"}
    assert case["summary"].keys() == {"async", "current", "control"}
    assert all(block["valid"] for block in case["blocks"])
    assert "'decode': the values are read, but its work is not known" in done.stderr
    rows = list(csv.DictReader(io.StringIO((placement.folder / "run.csv").read_text())))
    assert {row["mode"] for row in rows} == {"async", "mixed"}
    assert "two-steps" in (placement.folder / "run.md").read_text()


def test_a_dry_run_of_a_graph_measures_nothing(placement) -> None:
    """It says what competes and about how long that takes."""
    placement.write("graph.yaml", GRAPH)
    listed = placement("bench", "--graph", "graph.yaml", "--list")
    assert "arms: async, sync, off, async@every-node, window:2, current" in listed.stdout
    planned = placement("bench", "--graph", "graph.yaml", "--dry-run")
    assert planned.returncode == 0
    assert planned.stdout.splitlines()[2].split()[:3] == ["two-steps", "1", "7"]
    assert placement.journals() == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--graph", "none.yaml"], "none.yaml: cannot be read"),
        (["--graph", "graph.yaml"], "graph.yaml: the graph cannot be run as it stands: node 'filter': has no `op`"),
        (["--graph", "graph.yaml", "live"], "--graph and scenarios do not go together"),
        (["live", "--arm", "sync"], "--arm goes with --graph"),
    ],
)
def test_what_cannot_be_measured_ends_with_one_sentence(placement, arguments: list[str], said: str) -> None:
    """Exit code 2, and no traceback."""
    placement.write("graph.yaml", GRAPH.replace("op: sosfilt, params: {sections: 1}, ", ""))
    done = placement("bench", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"placement: {said}")
    assert len(done.stderr.splitlines()) == 1
