"""How the messages of a graph are fed."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.bench.axes import NAME
from placement_cli.bench.graph_case import LEAST_MESSAGES, Feeding, feed, graph_case, graph_name, graph_question
from placement_cli.errors import UsageError
from placement_cli.graph.graph import Edge, Graph, GraphNode, GraphSource
from placement_cli.graph.runnable import runnable
from placement_cli.measure.specs import Arm, ArmMode, Reading

ASYNC = Arm("async", ArmMode.ASYNC, ("a",))


def graph(name: str = "mine", op: str = "abs", channels: int = 4, **source: Any) -> Graph:
    """Return a graph of one node."""
    return Graph(GraphSource(8, channels, **source), (GraphNode("a", (Edge("source"),), op),), name)


def fed(quick: bool = False, **facts: Any) -> Feeding:
    """Return how the messages of such a graph are fed."""
    made = graph(**facts)
    return feed(made, runnable(made).pipeline, quick=quick)


def test_a_live_source_is_paced() -> None:
    """At its rate, for a second, in a quick run for a quarter."""
    full, quick = fed(kind="live", rate=1000.0), fed(kind="live", rate=1000.0, quick=True)
    assert (full.reading, full.rate, full.duration_s) == (Reading.PACED, 1000.0, 1.0)
    assert quick.duration_s == 0.25
    assert full.params == {"rate": 1000}
    assert full.notes == ()


def test_a_slow_source_still_gives_messages_enough() -> None:
    """A percentile of two messages says nothing; but there are no more than the graph has."""
    assert fed(kind="live", rate=0.5).duration_s == 32.0
    assert fed(kind="live", rate=0.5, messages=4).duration_s == 8.0


@pytest.mark.parametrize("rate", [1e-3, 1e6])
def test_rates_that_no_source_keeps_are_refused(rate: float) -> None:
    """The key is named."""
    with pytest.raises(UsageError, match=r"^source\.rate is .*; expected 0\.01 to 100000 messages per second"):
        fed(kind="live", rate=rate)


@pytest.mark.parametrize("kind", ["replay", "loop", "once"])
def test_all_other_sources_come_back_to_back(kind: Any) -> None:
    """As many messages as the graph says, whatever its rate."""
    found = fed(kind=kind, messages=40, rate=5.0)
    assert (found.reading, found.messages, found.params) == (Reading.STREAM, 40, {"messages": 40})


def test_without_a_number_the_clock_chooses() -> None:
    """But one pass is one message."""
    assert fed(kind="replay").messages == 0
    assert fed(kind="once").messages == 1


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"kind": "live"}, "The source has no rate: messages come as fast as they are taken."),
        ({"kind": "loop"}, "Messages come from the source, not from the outputs of the one before."),
        ({"kind": "once"}, "A sample is one pass."),
        ({"kind": "live", "rate": 1000.0, "messages": 9999}, "A sample holds 1000 of the 9999 messages."),
    ],
)
def test_what_differs_from_the_graph_is_told(facts: dict[str, Any], said: str) -> None:
    """In one sentence."""
    assert fed(**facts).notes == (said,)


def test_a_sample_of_heavy_messages_holds_fewer() -> None:
    """It is told how many; a quick run takes fewer still, and some are always left."""
    heavy = {"op": "affine", "channels": 2048, "messages": 128}
    full, quick = fed(**heavy), fed(**heavy, quick=True)
    assert LEAST_MESSAGES <= quick.messages < full.messages <= 128
    assert quick.notes == (f"A sample holds {quick.messages} of the 128 messages.",)


def test_a_sample_of_many_messages_fills_the_queue_twice() -> None:
    """More would only repeat that, so the number is left to where the queue is known."""
    many = fed(op="abs", channels=4, messages=10_000)
    assert many.messages == 0
    assert many.notes == ("A sample holds enough messages to fill the device's queue twice, not all 10000.",)


@pytest.mark.parametrize(
    ("name", "called"),
    [("band power [x]/../y", "band-power-x-..-y"), ("", "graph"), ("日本", "graph"), ("-.", "graph")],
)
def test_names_of_runs_are_harmless(name: str, called: str) -> None:
    """They become names of files."""
    assert graph_name(graph(name)) == called
    assert NAME.fullmatch(called)


def test_a_case_is_named_by_its_graph_and_feeding() -> None:
    """So that tables and sentences tell what was measured."""
    made = graph("band power", kind="live", rate=250.0)
    pipeline = runnable(made).pipeline
    case = graph_case(made, pipeline, feed(made, pipeline, quick=False), (ASYNC,), "async")
    assert (case.id, case.scenario, case.params) == ("band-power[rate=250]", "band-power", {"rate": 250})
    assert (case.arms, case.base, case.pipeline) == ((ASYNC,), "async", pipeline)
    assert graph_question(made) == "What does each placement cost in the graph 'band power'?"
