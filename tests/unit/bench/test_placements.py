"""Placements of a graph as arms of one case, and what they were measured at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from placement_cli.bench.cases import Scenario
from placement_cli.bench.placements import Placements, measure_placements, placements_request, placements_scenario
from placement_cli.bench.run import Method
from placement_cli.errors import UsageError
from placement_cli.graph.graph import Edge, Graph, GraphNode, GraphSource
from placement_cli.graph.mode import ASYNC, OFF, SYNC, window
from placement_cli.store.files import load_run

ROOM = 2**34


def graph(**source: Any) -> Graph:
    """Return a chain of three rectifiers, two of which are copies, and a host node."""
    nodes = (
        GraphNode("a", (Edge("source"),), "abs", repeat=2),
        GraphNode("b", (Edge("a"),), "abs"),
        GraphNode("decode", (Edge("b"),), backend="host"),
    )
    return Graph(GraphSource(8, 4, **source), nodes, "mine")


def scenario(placements: Placements, base: str = "tail", **source: Any) -> Scenario:
    """Return the quick scenario of these placements."""
    return placements_scenario(graph(**source), placements, base, quick=True)


TAIL = {"b": ASYNC}
NODES = {"a.0": ASYNC, "a.1": ASYNC, "b": ASYNC}


def test_placements_are_arms_with_a_mode_for_every_node() -> None:
    """Nodes that are not named are off; a repeated node may stand for all its copies."""
    (case,) = scenario({"tail": TAIL, "mixed": {"b": window(2), "a": SYNC}}).cases
    assert case.base == "tail"
    assert case.arm("tail").points == TAIL
    assert case.arm("mixed").points == {"a.0": SYNC, "a.1": SYNC, "b": window(2)}
    assert case.arm("tail").modes == {"a.0": OFF, "a.1": OFF, "b": ASYNC}


def test_equal_placements_are_measured_once() -> None:
    """It is told which one stands for the other."""
    made = scenario({"nodes": NODES, "tail": TAIL, "advised": {"a": ASYNC, "b": ASYNC}})
    assert [arm.name for arm in made.cases[0].arms] == ["nodes", "tail"]
    assert made.same == {"mine": {"advised": "nodes"}}
    assert made.notes[-1] == "'advised' does the same as 'nodes': measured once."


@pytest.mark.parametrize(
    ("placements", "said"),
    [
        ({"tail": {"bb": ASYNC}}, "placement 'tail': 'bb' is no MLX node of the graph. Did you mean 'b'?"),
        ({"tail": {"decode": ASYNC}}, "placement 'tail': 'decode' is no MLX node of the graph."),
        ({"tial": TAIL}, "base 'tail' is none of the placements. Did you mean 'tial'?"),
        ({"tail": TAIL, "control": {}}, "a placement cannot be called 'control'"),
        ({"tail": TAIL} | {f"p{n}": {"b": window(n)} for n in range(1, 13)}, "13 placements; at most 12"),
    ],
)
def test_placements_that_cannot_be_measured_are_refused(placements: Placements, said: str) -> None:
    """Before any process is started."""
    with pytest.raises(UsageError) as raised:
        scenario(placements)
    assert str(raised.value).startswith(said)


def test_a_request_measures_the_scenario_alone() -> None:
    """With its control and its notes; a quick one takes as many blocks as a verdict needs."""
    made = scenario({"tail": TAIL, "nodes": NODES, "same": NODES})
    request = placements_request(made, ROOM, argv=["advise"], seed=3, device="cpu", quick=True, time_budget_s=9.0)
    (plan,) = request.plans
    assert (plan.name, plan.cases, plan.control_case, plan.notes) == ("mine", made.cases, "mine", made.notes)
    assert request.method.stages == (6,)
    assert (request.argv, request.seed, request.device, request.time_budget_s) == (["advise"], 3, "cpu", 9.0)
    assert placements_request(made, ROOM).method == Method()
    with pytest.raises(UsageError, match="of memory, but only"):
        placements_request(made, 0)


def test_measuring_keeps_the_document(engine: Any, tmp_path: Path) -> None:
    """Journal and document lie side by side, and the document says what the run left out."""
    request = placements_request(scenario({"tail": TAIL, "nodes": NODES}), ROOM, quick=True)
    kept = measure_placements(request, engine.around(), tmp_path / "results")
    assert load_run(kept.path) == kept.document
    assert kept.path.with_suffix(".jsonl").is_file()
    assert ("info", "as-run") in {(each.level, each.code) for each in kept.document.diagnostics}
    assert kept.document.cases[0].arms["nodes"]["modes"] == {"a.0": "async", "a.1": "async", "b": "async"}
