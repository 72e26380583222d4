"""Advice follows what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from placement_cli.advice.advice import Advice, Alternative, Estimate, MeasuredPlacement, Predicted, ProfileUse
from placement_cli.advice.verifying import to_measure, verified
from placement_cli.graph.graph import Edge, Graph, GraphNode, GraphSource
from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode, window

GRAPH = Graph(GraphSource(1, 1), (GraphNode("a", (Edge("source"),), evaluate=SYNC),))
US = 1e-6


def estimate(value: float, share: float = 0.05) -> Estimate:
    """A number with an interval of so much to either side."""
    return Estimate(value, value * (1 - share), value * (1 + share))


def alternative(name: str, mode: Mode, time_us: float, held: float = 1e6, *violates: str) -> Alternative:
    """A placement that is predicted to take so long."""
    time = estimate(time_us * US)
    return Alternative(
        name, {"a": mode}, Predicted(*(time,) * 6, estimate(held), estimate(0.5)), estimate(time_us / 200), violates
    )


ALTERNATIVES = (
    alternative("current", SYNC, 200),
    alternative("async-tail", ASYNC, 100),
    alternative("sync-tail", SYNC, 200),
    alternative("window", window(2), 110),
    alternative("off", OFF, 300, 1e6, "It grows."),
)


def advice(advised: Mode = ASYNC, alternatives: tuple[Alternative, ...] = ALTERNATIVES) -> Advice:
    """Advice for one point."""
    chosen = next(each for each in alternatives if each.placement == {"a": advised})
    return Advice(
        graph=GRAPH,
        profile=ProfileUse("made up", "published", "a test needs one", "made up"),
        objective="least time",
        verdict="ASYNC at a: twice as fast.",
        placement=chosen.placement,
        current={"a": SYNC},
        predicted=chosen.predicted,
        alternatives=alternatives,
        findings=(),
        confidence="published",
        search="All were tried.",
    )


def measured(share: float = 0.02, **times_us: float) -> list[MeasuredPlacement]:
    """What placements were measured at, in microseconds."""
    return [MeasuredPlacement(name.replace("_", "-"), estimate(time * US, share)) for name, time in times_us.items()]


def test_what_matters_is_measured() -> None:
    """Today's, the tail rule, and the advised one under whatever name."""
    assert to_measure(advice()) == {"current": {"a": SYNC}, "async-tail": {"a": ASYNC}}
    assert "window" in to_measure(advice(window(2)))


def test_a_measurement_that_agrees_confirms() -> None:
    """The verdict keeps its words and gets the figures."""
    found = verified(advice(), measured(current=210, async_tail=90), "runs/x.json")

    assert (found.placement, found.confidence) == ({"a": ASYNC}, "measured")
    assert found.verdict == (
        "ASYNC at a: twice as fast. Measured here: 90.0 µs a message against 210 µs today, 2.33 times as fast; "
        "predictions were off by 7.5 % at the median."
    )
    assert found.verified is not None
    assert (found.verified.run, found.verified.error_median) == ("runs/x.json", pytest.approx(0.075))


FOLLOWED = [
    ("another is faster, intervals apart", ASYNC, {"current": 300, "async_tail": 200, "window": 100}, window(2)),
    ("another is faster by less than the intervals", ASYNC, {"current": 300, "async_tail": 102, "window": 100}, ASYNC),
    ("today's is faster", ASYNC, {"current": 100, "async_tail": 200}, SYNC),
    ("today's is as fast", ASYNC, {"current": 101, "async_tail": 100}, SYNC),
    ("what breaks limits is no choice", ASYNC, {"current": 300, "async_tail": 200, "off": 100}, ASYNC),
    ("the advised one was not measured", ASYNC, {"current": 100}, ASYNC),
    ("nothing was measured", ASYNC, {}, ASYNC),
    ("nobody knows that name", ASYNC, {"current": 300, "async_tail": 200, "made_up": 1}, ASYNC),
]


@pytest.mark.parametrize(("why", "advised", "times", "placed"), FOLLOWED, ids=[each[0] for each in FOLLOWED])
def test_the_advice_follows_the_measurement(why: str, advised: Mode, times: Mapping[str, float], placed: Mode) -> None:
    """Only where it is sure."""
    found = verified(advice(advised), measured(**times), "run")

    assert found.placement == {"a": placed}
    assert found.predicted == next(each.predicted for each in ALTERNATIVES if each.placement == {"a": placed})
    assert found.verdict.startswith("Measured, not as predicted" if placed != advised else "ASYNC at a")


def test_medians_without_intervals_decide_nothing() -> None:
    """However far apart they are."""
    assert verified(advice(), measured(0.0, current=300, async_tail=200, window=100), "run").placement == {"a": ASYNC}


@pytest.mark.parametrize(
    ("today", "advised", "placed"),
    [
        (alternative("current", SYNC, 200, 1e6, "2 GiB are in flight."), ASYNC, ASYNC),
        (alternative("current", SYNC, 200, 2e6), ASYNC, ASYNC),
        (alternative("current", SYNC, 200), OFF, OFF),
    ],
)
def test_what_has_another_reason_need_not_be_faster(today: Alternative, advised: Mode, placed: Mode) -> None:
    """Limits that today's breaks, fewer bytes in flight, fewer points."""
    free = replace(ALTERNATIVES[-1], violates=())
    found = verified(
        advice(advised, (today, *ALTERNATIVES[1:-1], free)), measured(current=100, async_tail=100, off=100), "run"
    )

    assert found.placement == {"a": placed}


def test_the_host_counts_where_messages_come_at_a_rate() -> None:
    """Then every placement takes as long."""
    arms = [
        MeasuredPlacement(name, estimate(1e-3, 0.01), estimate(host * US, 0.01), estimate(1e-3))
        for name, host in (("current", 300), ("async-tail", 200), ("window", 100))
    ]

    assert verified(advice(), arms, "run").placement == {"a": window(2)}


def test_a_prediction_of_nothing_has_no_error() -> None:
    """It is left out."""
    nothing = tuple(alternative(each.name, each.placement["a"], 0) for each in ALTERNATIVES)
    found = verified(advice(ASYNC, nothing), measured(current=300, async_tail=200), "run")

    assert found.verified is not None
    assert found.verified.error_median == 0.0
    assert "off by" not in found.verdict
