"""The scenario of a graph: rules for points, and the modes it has today."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.bench.cases import Scenario
from placement_cli.bench.graph_scenario import RULES, graph_scenario
from placement_cli.errors import UsageError
from placement_cli.graph.graph import Costs, Edge, Graph, GraphNode, GraphSource
from placement_cli.graph.mode import ASYNC, SYNC, window


def node(name: str, reads: str, **facts: Any) -> GraphNode:
    """Return a rectifier."""
    return GraphNode(name, (Edge(reads),), "abs", **facts)


def scenario(*arms: str, **facts: Any) -> Scenario:
    """Return the scenario of a chain of two nodes and a host node behind them; `facts` are those of the first."""
    host = GraphNode("decode", (Edge("b"),), backend="host", costs=Costs(host_s=1e-3))
    graph = Graph(GraphSource(8, 4), (node("a", "source", **facts), node("b", "a"), host), "mine")
    return graph_scenario(graph, "g.yaml", arms)


def test_without_arms_the_usual_ones_compete() -> None:
    """The graph's own modes are among them where it has any."""
    assert scenario().arms == RULES
    assert scenario(evaluate=ASYNC).arms == (*RULES, "current")
    assert scenario().base == "async"


def test_current_is_what_the_graph_says() -> None:
    """Each node in its own mode."""
    made = scenario("async", "current", evaluate=window(3))
    arm = made.cases[0].arm("current")
    assert arm.points == {"a": window(3)}
    assert {name: str(mode) for name, mode in arm.modes.items()} == {"a": "window:3", "b": "off"}


def test_arms_keep_their_order_and_the_first_is_the_base_without_async() -> None:
    """Current may stand anywhere."""
    made = scenario("sync", "current", "off", evaluate=ASYNC)
    assert (made.arms, made.base) == (("sync", "current", "off"), "sync")
    assert scenario("current", "sync", evaluate=ASYNC).base == "current"
    assert scenario("sync", "async").base == "async"
    alone = scenario("current")
    assert (alone.base, alone.control_case) == ("current", None)


def test_arms_that_do_the_same_are_measured_once_and_told() -> None:
    """A graph without points is the arm off."""
    made = scenario("async", "off", "current")
    assert [arm.name for arm in made.cases[0].arms] == ["async", "off"]
    assert made.same == {"mine": {"current": "off"}}
    assert made.notes == ("'current' does the same as 'off': measured once.",)


def test_pinned_points_are_in_every_arm() -> None:
    """They are there for correctness, whatever else competes."""
    made = scenario("async", "off", "sync@every-node", evaluate=SYNC, pinned=True)
    points = {arm.name: arm.points for arm in made.cases[0].arms}
    assert points == {"async": {"a": SYNC, "b": ASYNC}, "off": {"a": SYNC}, "sync@every-node": {"a": SYNC, "b": SYNC}}
    assert made.notes == ("Pinned points are there in every arm.",)


@pytest.mark.parametrize(
    ("arms", "said"),
    [
        (["asinc"], "--arm 'asinc': arm 'asinc': 'asinc' is not a mode. Did you mean 'async'?"),
        (["async@bb"], "--arm 'async@bb': site 'bb' is no node here. Did you mean 'b'?"),
        (["async@decode"], "--arm 'async@decode': site 'decode' is a host node"),
        (["current", "current"], "--arm 'current': arm 'current' is given twice"),
        ([f"window:{depth}" for depth in range(1, 13)] + ["current"], "--arm 'current': 13 arms; expected at most 12"),
    ],
)
def test_arms_that_cannot_be_placed_are_refused(arms: list[str], said: str) -> None:
    """The place is the option."""
    with pytest.raises(UsageError) as raised:
        scenario(*arms)
    assert str(raised.value).startswith(said)


@pytest.mark.parametrize(("facts", "said"), [({"repeat": 2000}, "2002 nodes"), ({"state": "side"}, None)])
def test_a_graph_that_cannot_be_run_is_refused_with_its_file(facts: dict[str, Any], said: str | None) -> None:
    """What a run leaves out is no reason to refuse it."""
    if said is None:
        assert scenario(**facts).notes == ("Node 'a': carries no state when it is run.",)
        return
    with pytest.raises(UsageError, match=rf"^g\.yaml: the graph cannot be run as it stands: it has {said}"):
        scenario(**facts)
