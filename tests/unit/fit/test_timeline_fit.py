"""Constants of the timeline from whole graphs: graphs timed by known constants give them back, as far as they tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from placement_cli.fit.timeline_fit import PRIORS, fit_timeline
from placement_cli.fit.timeline_fit_graphs import PlacementTiming, TimedGraph, TimedNode
from placement_cli.fit.timeline_fit_model import LEAST_DEVICE_SHARE, TimelineModel, device_alone_s, timeline_costs
from placement_cli.fit.timeline_fit_scores import chosen, noise_floor, timeline_scores
from placement_cli.graph.mode import ASYNC, SYNC, Mode

ROUNDS = 6
PLACEMENTS: Sequence[tuple[Mapping[int, Mode], int]] = (
    ({}, 0),
    ({2: ASYNC}, 0),
    ({2: SYNC}, 0),
    ({0: ASYNC, 1: ASYNC, 2: ASYNC}, 0),
    ({0: SYNC, 1: SYNC, 2: SYNC}, 0),
    ({2: ASYNC}, 1),
)
TRUTH = {name: prior.ratio for name, prior in PRIORS.items()} | {"round_trip": 45e-6, "submit_call": 7e-6}


def unmeasured(device_s: float, work_s: float, boundary: bool = True) -> TimedGraph:
    """Return a chain of three nodes whose times are yet to be filled in."""
    nodes = tuple(TimedNode((number - 1,), 2.0, 1.0) for number in range(3))
    timings = tuple(
        PlacementTiming(modes, (1.0,) * ROUNDS, (1.0,) * ROUNDS, (1.0,) * ROUNDS, lag)
        for modes, lag in PLACEMENTS
        if boundary or (modes and not lag)
    )
    name = f"chain of {device_s:g} s beside {work_s:g} s"
    return TimedGraph(name, nodes, 4096.0, device_s, "python" if work_s else "", work_s, boundary, 8, timings)


def measured(graph: TimedGraph, constants: Mapping[str, float], noise: float = 0.0, seed: int = 0) -> TimedGraph:
    """Return the graph with the times that `constants` predict, give or take `noise` a round."""
    predicted = TimelineModel(graph).predict(timeline_costs(constants, ["python"]))
    generator = np.random.default_rng(seed)
    timings = []
    for at, timing in enumerate(graph.timings):
        seconds = predicted.period_s[at] * np.exp(noise * generator.standard_normal(ROUNDS))
        busy, peak = (predicted.busy_s[at],) * ROUNDS, (predicted.peak_bytes[at],) * ROUNDS
        timings.append(replace(timing, seconds=tuple(seconds), busy_s=busy, peak_bytes=peak))
    return replace(graph, timings=tuple(timings))


@pytest.fixture(scope="module")
def graphs() -> tuple[TimedGraph, ...]:
    """Nine graphs, from tiny to long, with and without host work and boundary, timed without noise."""
    return tuple(
        measured(unmeasured(device_s, work_s, boundary), TRUTH)
        for device_s in (80e-6, 300e-6, 2e-3)
        for work_s, boundary in ((0.0, True), (0.0, False), (500e-6, True))
    )


def test_a_fit_finds_the_constants_that_made_the_times(graphs: tuple[TimedGraph, ...]) -> None:
    """Constants that the graphs depend on are found, however far from what was believed of them."""
    found = fit_timeline(graphs).constants

    assert found["round_trip"] == pytest.approx(TRUTH["round_trip"], rel=0.1)
    assert found["submit_call"] == pytest.approx(TRUTH["submit_call"], rel=0.2)


def test_what_graphs_say_nothing_about_stays_as_believed(graphs: tuple[TimedGraph, ...]) -> None:
    """Without any BLAS work its constants are those of their priors."""
    found = fit_timeline(graphs).constants

    assert {name: found[name] for name in found if name.startswith("blas.")} == {
        name: pytest.approx(prior.ratio) for name, prior in PRIORS.items() if name.startswith("blas.")
    }


def test_equal_graphs_give_equal_constants(graphs: tuple[TimedGraph, ...]) -> None:
    """Nothing in a fit is left to chance."""
    assert fit_timeline(graphs[:3]) == fit_timeline(graphs[:3])


def test_a_fit_needs_graphs() -> None:
    """Without any graph there is nothing to fit."""
    with pytest.raises(ValueError, match="one graph at least"):
        fit_timeline([])


def test_a_perfect_model_has_no_errors_and_no_regret(graphs: tuple[TimedGraph, ...]) -> None:
    """Scored with the constants that made the times, every number is right and every choice the best."""
    found = timeline_scores(graphs, timeline_costs(TRUTH, ["python"]))

    assert found.period_p95 == pytest.approx(0.0, abs=1e-9)
    assert found.busy_p90 == pytest.approx(0.0, abs=1e-9)
    assert found.bytes_within == 1.0
    assert found.order == 1.0
    assert found.regret == pytest.approx(0.0, abs=1e-2)
    assert found.floor == pytest.approx(0.0, abs=1e-9)


def test_simple_rules_are_scored_where_their_placement_was_timed(graphs: tuple[TimedGraph, ...]) -> None:
    """Each rule has its mean regret; a stream that reads nothing is taken with SYNC instead of OFF."""
    found = timeline_scores(graphs, timeline_costs(TRUTH, ["python"]))
    stream = next(graph for graph in graphs if not graph.boundary)

    assert list(found.rules) == ["async tail", "every node", "sync tail", "off"]
    assert found.rules["sync tail"] > found.rules["async tail"] >= 0.0
    assert stream.rules["off"] == stream.rules["sync tail"]


def test_luck_has_a_regret_when_rounds_are_noisy() -> None:
    """Choosing by half of noisy rounds costs something on the other half."""
    noisy = [measured(unmeasured(2e-3, 0.0, boundary=False), TRUTH, noise=0.3, seed=seed) for seed in range(5)]

    assert noise_floor(noisy) > 0.0


def test_of_placements_predicted_alike_the_one_with_fewest_points_is_chosen() -> None:
    """A point more needs a reason."""
    graph = unmeasured(2e-3, 0.0, boundary=False)
    predicted = TimelineModel(graph).predict(timeline_costs(TRUTH, []))

    assert predicted.period_s[0] == pytest.approx(predicted.period_s[2])
    assert graph.timings[chosen(graph, predicted)].modes == {2: ASYNC}


def test_reading_the_message_before_is_faster_than_reading_this_one() -> None:
    """A boundary that lags a message lets host and device overlap."""
    predicted = TimelineModel(unmeasured(300e-6, 0.0)).predict(timeline_costs(TRUTH, []))

    assert predicted.period_s[5] < predicted.period_s[1]


def test_off_keeps_fewer_bytes_than_a_point_in_the_code() -> None:
    """Read without a point, values in place share a buffer: source and output, where ASYNC keeps all and one more."""
    predicted = TimelineModel(unmeasured(300e-6, 0.0)).predict(timeline_costs(TRUTH, []))

    assert list(predicted.peak_bytes[:3] / 4096.0) == [2.0, 5.0, 5.0]


def test_the_device_s_part_of_a_sync_timing_is_what_is_not_around_it() -> None:
    """A long timing is lessened by a submission and a wait, a short one keeps its least share."""
    costs = timeline_costs(TRUTH, [])
    around = costs.submit_call_s + costs.submit_op_s + costs.wake_s + costs.round_trip_s

    assert device_alone_s(1.0, costs) == pytest.approx(1.0 - around, rel=1e-6)
    assert device_alone_s(around / 2, costs) == pytest.approx(LEAST_DEVICE_SHARE * around / 2)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_times_must_be_times(seconds: float) -> None:
    """A time that is no time is refused."""
    with pytest.raises(ValueError, match="finite and above zero"):
        PlacementTiming({}, (seconds, 1.0), (1.0, 1.0), (1.0, 1.0))


@pytest.mark.parametrize("rounds", [(2, 3), (1, 1)])
def test_placements_share_their_rounds(rounds: tuple[int, int]) -> None:
    """Placements with different or too few rounds cannot be compared round by round."""
    timings = tuple(PlacementTiming({}, (1.0,) * count, (1.0,) * count, (1.0,) * count) for count in rounds)

    with pytest.raises(ValueError, match="equally many rounds"):
        replace(unmeasured(1e-3, 0.0), timings=timings)
