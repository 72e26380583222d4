"""How many messages a sample holds: enough time on the slowest arm, enough messages for the queue."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.graph.pipeline import Pipeline, Source
from placement_cli.measure.readings.burst import BURST_MESSAGES
from placement_cli.measure.sizing import (
    EMPTY_SAMPLES,
    PENDING_MESSAGES,
    QUEUE_FULLS,
    QUEUE_MESSAGES,
    SAMPLE_S,
    TIMER_TICKS,
    Floors,
    fixed_messages,
    timed_messages,
    warm_messages,
)
from placement_cli.measure.specs import Case, Reading

MakeCase = Callable[..., Case]
SECONDS = st.floats(1e-9, 1e-2)


@pytest.fixture
def pipeline(make_pipeline: Callable[..., Pipeline]) -> Pipeline:
    """One rectifier."""
    return make_pipeline(("rectify", "abs", ["source"]))


def test_floors_are_the_largest_of_all_workers() -> None:
    """The worst timer, harness, pool and queue among the arms of a case decide."""
    hellos = [{"timer_s": 1e-7, "empty_s": 3e-5}, {"timer_s": 2e-7, "empty_s": 1e-5}]
    prepared = [{"pool": 16, "queue_messages": 64}, {"pool": 48, "queue_messages": 36}]
    assert Floors.of(hellos, prepared) == Floors(2e-7, 3e-5, 48, 64)


@pytest.mark.parametrize(
    ("timer_s", "empty_s", "expected_s"),
    [(1e-9, 1e-9, SAMPLE_S), (1e-3, 1e-9, TIMER_TICKS * 1e-3), (1e-9, 1e-3, EMPTY_SAMPLES * 1e-3)],
)
def test_a_sample_is_long_against_clock_and_harness(timer_s: float, empty_s: float, expected_s: float) -> None:
    """A sample lasts 10 ms, 1000 ticks of the timer or 50 empty samples, whichever is longest."""
    assert Floors(timer_s, empty_s, 16, 1).sample_s == pytest.approx(expected_s)


@given(SECONDS, SECONDS, st.integers(1, 500), st.floats(1e-7, 10.0))
@settings(deadline=None)
def test_timed_samples_are_long_enough(timer_s: float, empty_s: float, queue: int, slowest_s: float) -> None:
    """On the slowest arm a stream takes the shortest time that can be trusted, and fills the queue twice."""
    case = _bare_case(Reading.STREAM)
    floors = Floors(timer_s, empty_s, 16, queue)
    count = timed_messages(case, floors, slowest_s)
    assert count * slowest_s >= floors.sample_s * (1 - 1e-9)
    assert count >= QUEUE_FULLS * queue
    assert count == QUEUE_FULLS * queue or (count - 1) * slowest_s <= floors.sample_s * (1 + 1e-9)


@given(SECONDS, st.floats(1e-7, 10.0))
@settings(deadline=None)
def test_bursts_are_whole(empty_s: float, slowest_s: float) -> None:
    """A sample of bursts is long enough and holds whole bursts; the queue plays no part."""
    floors = Floors(1e-9, empty_s, 16, 10**6)
    count = timed_messages(_bare_case(Reading.BURST), floors, slowest_s)
    assert count * slowest_s >= floors.sample_s * (1 - 1e-9)
    assert count % BURST_MESSAGES == 0


def test_a_clock_that_saw_nothing_gives_the_least(make_case: MakeCase, pipeline: Pipeline) -> None:
    """Without a time of a message the sample fills the queue."""
    assert timed_messages(make_case(pipeline), Floors(1e-7, 1e-5, 16, 20), 0.0) == 40


@pytest.mark.parametrize(
    ("reading", "messages", "expected"),
    [
        (Reading.STREAM, 0, None),
        (Reading.STREAM, 7, 7),
        (Reading.BURST, 0, None),
        (Reading.QUEUE, 0, QUEUE_MESSAGES),
        (Reading.QUEUE, 9, 9),
        (Reading.PENDING, 0, PENDING_MESSAGES),
        (Reading.PENDING, 5, 5),
    ],
)
def test_a_case_may_fix_its_messages(
    make_case: MakeCase, pipeline: Pipeline, reading: Reading, messages: int, expected: int | None
) -> None:
    """What the scenario says counts; queue and pending readings have a number of their own, the rest is timed."""
    assert fixed_messages(make_case(pipeline, reading=reading, messages=messages)) == expected


def test_paced_samples_last_as_long_as_the_scenario_says(make_case: MakeCase, pipeline: Pipeline) -> None:
    """Rate times duration gives the messages, at least one."""
    assert fixed_messages(make_case(pipeline, reading=Reading.PACED, rate=200.0, duration_s=0.5)) == 100
    assert fixed_messages(make_case(pipeline, reading=Reading.PACED, rate=0.1, duration_s=0.5)) == 1


def test_warm_up_meets_every_length(make_case: MakeCase, make_pipeline: Callable[..., Pipeline]) -> None:
    """Where lengths jitter the warm-up goes through the whole pool; otherwise it is as long as a sample."""
    floors = Floors(1e-7, 1e-5, 48, 20)
    jitters = make_case(make_pipeline(("rectify", "abs", ["source"]), source=Source(3, 9, 2)))
    steady = make_case(make_pipeline(("rectify", "abs", ["source"])))
    assert [warm_messages(jitters, floors, count) for count in (5, 100)] == [48, 100]
    assert warm_messages(steady, floors, 5) == 5


def _bare_case(reading: Reading) -> Case:
    return Case("case", "scenario", reading, Pipeline(Source(8, 8, 1), ()), (), "base")
