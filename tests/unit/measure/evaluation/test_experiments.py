"""Each experiment finds out what the fake device costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from placement_cli.errors import UsageError
from placement_cli.measure.evaluation import crossing, operator_work, queueing
from placement_cli.measure.evaluation.building import measure_building
from placement_cli.measure.evaluation.contention import calibrated_works, measure_contention
from placement_cli.measure.evaluation.experiments import BUDGETS_S, EXPERIMENTS, run_experiment
from placement_cli.measure.evaluation.idling import IDLE_MS, measure_idling
from placement_cli.measure.evaluation.observation import Observation
from placement_cli.measure.evaluation.rounds import Site
from placement_cli.measure.evaluation.submitting import measure_submitting, measure_waking
from placement_cli.operators.catalog import OPERATORS
from placement_cli.operators.host import WORK

MakeSite = Callable[..., Site]


def found(observations: list[Observation], **case: Any) -> set[float]:
    """Return the different values of the only observation of this case, rounded to picoseconds."""
    (values,) = [entry.values for entry in observations if case.items() <= entry.case.items()]
    return {round(value, 12) for value in values}


def test_building_evaluates_nothing(make_site: MakeSite) -> None:
    """Only the clock is read: chains of every length are built and dropped."""
    site: Any = make_site(tick_s=1e-4)
    observations = measure_building(site)
    assert found(observations, ops=1.0) == {5e-5}
    assert site.device.calls == []


def test_submitting_times_calls_to_a_busy_device(make_site: MakeSite) -> None:
    """A burst lasts what its submissions take, without the one that holds the device."""
    observations = measure_submitting(make_site(submit=3e-6, evaluate=1e-3))
    assert found(observations, ops=1.0) == {3e-6}
    assert found(observations, ops=32.0) == {3e-6}


def test_waking_tells_submitting_from_waiting(make_site: MakeSite) -> None:
    """The device idles for the time of the case, then one submission and one wait are timed."""
    site: Any = make_site(submit=3e-6, evaluate=5e-5)
    observations = measure_waking(site)
    assert found(observations, idle_ms=10.0, reading="submit") == {3e-6}
    assert found(observations, idle_ms=0.0, reading="wait") == {5e-5}
    assert found(observations, idle_ms=-1.0) == {3e-6}


class Queue:
    """Makes submissions to a device block, until it is waited for, once the queue is full; a hold is the first."""

    def __init__(self, device: Any, calls: int) -> None:
        self.device, self.room, self.outstanding = device, calls, 0
        self.evaluate, self.submit = device.evaluate, device.submit
        device.evaluate, device.submit = self.drain, self.fill

    def drain(self, *arrays: Any) -> None:
        """Wait until nothing is outstanding."""
        self.outstanding = 0
        self.evaluate(*arrays)

    def fill(self, *arrays: Any) -> None:
        """Submit, or wait for the hold first."""
        self.outstanding += 1
        if self.outstanding == self.room + 1:
            self.device.clock.advance(queueing.HOLD_S)
        self.submit(*arrays)


def test_the_queue_is_filled_until_a_call_blocks(make_site: MakeSite) -> None:
    """The number of the blocking call behind the hold is told, and none is made after it."""
    site = make_site(submit=1e-6, evaluate=1e-2)
    Queue(site.device, 20)
    observations = queueing.measure_queue(site)
    assert found(observations, ops=1.0, reading="blocked") == {20.0}
    assert found(observations, ops=3.0, reading="made") == {20.0}
    assert {entry.unit for entry in observations} == {"calls"}


def test_a_queue_that_never_fills_is_left_alone(make_site: MakeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many calls it is enough, and none of them blocked."""
    monkeypatch.setattr(queueing, "MOST_CALLS", 30)
    observations = queueing.measure_queue(make_site(submit=1e-6, evaluate=1e-2))
    assert found(observations, ops=1.0, reading="blocked") == {0.0}
    assert found(observations, ops=1.0, reading="made") == {30.0}


@pytest.mark.parametrize("measure", [crossing.measure_boundary, crossing.measure_ingest])
def test_crossing_takes_every_size(make_site: MakeSite, measure: Callable[[Site], list[Observation]]) -> None:
    """Messages are handed over in sizes from 256 B to 2 MiB, without the device's help."""
    observations = measure(make_site(tick_s=1e-4))
    assert [entry.case["bytes"] for entry in observations][:: len(observations) - 1] == [256.0, 2.0 * 2**20]
    assert found(observations, bytes=256.0) == {5e-5}


def test_operators_are_timed_by_message(make_site: MakeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many messages are submitted that they last, and the time is shared among them."""
    monkeypatch.setattr(operator_work, "OPERATORS", {name: OPERATORS[name] for name in ("abs", "join", "host")})
    monkeypatch.setattr(operator_work, "SHAPES", ((4, 2),))
    site: Any = make_site(submit=1e-5, evaluate=9.5e-5)
    observations = operator_work.measure_operators(site)
    assert [entry.case["operator"] for entry in observations] == ["abs", "join"]
    assert found(observations, operator="abs", samples=4.0, channels=2.0) == {round(9.5e-5 / 16, 12)}


@pytest.mark.parametrize(
    ("limits", "messages"),
    [
        ({"submit": 1e-5, "evaluate": 1e-6}, 24),
        ({"submit": 9e-5, "evaluate": 1e-6}, 5),
        ({"submit": 0.0, "evaluate": 1.4e-3}, 2),
        ({"submit": 0.0, "evaluate": 0.4}, 1),
    ],
)
def test_a_sample_fits_queue_hold_and_time(
    make_site: MakeSite, monkeypatch: pytest.MonkeyPatch, limits: dict[str, float], messages: int
) -> None:
    """There are no more messages than the queue takes, can be submitted behind the hold, or take long enough."""
    monkeypatch.setattr(operator_work, "OPERATORS", {"abs": OPERATORS["abs"]})
    monkeypatch.setattr(operator_work, "SHAPES", ((4, 2),))
    (entry,) = operator_work.measure_operators(make_site(**limits))
    assert limits["evaluate"] / entry.values[0] == pytest.approx(messages)


def test_messages_that_take_too_long_are_left_out(make_site: MakeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """An operator so slow that nothing else would get a turn is not measured at that shape."""
    monkeypatch.setattr(operator_work, "OPERATORS", {"abs": OPERATORS["abs"]})
    monkeypatch.setattr(operator_work, "SHAPES", ((4, 2),))
    assert operator_work.measure_operators(make_site(evaluate=0.6)) == []


def test_contention_times_each_alone_and_both(make_site: MakeSite) -> None:
    """Host work and device work are timed by themselves, and the device again with the host at work beside it."""
    site: Any = make_site(submit=1e-6, evaluate=4e-3)
    observations = measure_contention(site, {"thinking": lambda: site.clock.sleep(2e-3)})
    readings = {reading: found(observations, kind="thinking", reading=reading) for reading in
                ("host_alone", "device_alone", "host_both", "device_both")}  # fmt: skip
    assert readings == {"host_alone": {2e-3}, "device_alone": {4e-3}, "host_both": {2e-3}, "device_both": {6e-3}}


def test_there_is_work_of_every_kind(fake_clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind of host work of the operators takes part, calibrated by the clock of the experiment."""
    asked: list[tuple[str, float]] = []

    def calibrate(kind: str, length_s: float, _: Any) -> int:
        asked.append((kind, length_s))
        return 1

    monkeypatch.setattr("placement_cli.measure.evaluation.contention.calibrate", calibrate)
    works = calibrated_works(fake_clock())
    assert list(works) == list(WORK)
    assert {length_s for _, length_s in asked} == {2.5e-3}
    for work in works.values():
        work()


def test_idling_rests_before_the_work(make_site: MakeSite) -> None:
    """Product and tiny op are timed from submission to value after each rest."""
    site: Any = make_site(submit=1e-6, evaluate=3e-3)
    observations = measure_idling(site)
    assert {entry.case["idle_ms"] for entry in observations} == set(IDLE_MS)
    assert found(observations, idle_ms=50.0, reading="product") == {3.001e-3}


def test_an_unknown_experiment_is_told_with_the_nearest(make_site: MakeSite) -> None:
    """The message names what there is."""
    site = make_site()
    with pytest.raises(UsageError, match="submit"):
        run_experiment("submitt", site.device, site.clock, 0)


def test_every_experiment_has_a_budget() -> None:
    """Two processes, with preparations, are done in 25 s."""
    assert list(BUDGETS_S) == list(EXPERIMENTS)
    assert sum(BUDGETS_S.values()) <= 10
