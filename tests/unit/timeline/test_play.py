"""Playing a program: the closed forms of its long run, back-pressure, live sources, and what must never happen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement_cli.timeline.costs import Costs, QueueRule
from placement_cli.timeline.play import play
from placement_cli.timeline.program import Program, Step
from placement_cli.timeline.schedule import Batch

MakeChain = Callable[..., Program]
MakeBatch = Callable[..., Batch]

BUILD, SUBMIT, DEVICE, TRIP, READ = 20e-6, 8e-6, 200e-6, 30e-6, 2e-6
"""Of the chain of two nodes: building both, submitting both at once, their device time, a round trip, handing over."""
COSTS = Costs(submit_call_s=4e-6, submit_op_s=2e-6, round_trip_s=TRIP)
CONTENDED = replace(
    COSTS,
    wake_s=10e-6,
    sync_call_s=3e-6,
    streams=True,
    host_slowing={"blas": 1.2, "python": 0.1},
    device_slowing={"blas": 0.5, "python": 0.05},
    lingering=frozenset({"blas"}),
    queue=QueueRule(calls=40.0, ops=30.0),
)
MODES = ("off", "async", "sync", "window:1", "window:3", "every:2")

seconds = st.floats(1e-6, 2e-3)
placements = st.lists(st.tuples(*[st.sampled_from(MODES)] * 3), min_size=1, max_size=6, unique=True)
AVERAGING = 5e-3
"""Periods are averages over a few messages: by so much two of them may differ without a reason."""
any_way = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def period(program: Program, placement: Batch, costs: Costs = COSTS) -> float:
    """Return the time from message to message of the only placement."""
    return float(play(program, placement, costs).period_s[0])


@pytest.mark.parametrize("work", [50e-6, 500e-6])
def test_off_adds_everything_up(chain: MakeChain, batch: MakeBatch, work: float) -> None:
    """Evaluated where it is read, a message takes building, work, submission, device, round trip and handing over."""
    expected = BUILD + work + SUBMIT + DEVICE + TRIP + READ

    assert period(chain(work_s=work), batch(["off", "off"])) == pytest.approx(expected)


@pytest.mark.parametrize("work", [50e-6, 500e-6])
@pytest.mark.parametrize("boundary", [True, False])
def test_sync_at_the_tail_waits_before_the_work(
    chain: MakeChain, batch: MakeBatch, work: float, boundary: bool
) -> None:
    """SYNC takes as much as OFF, whether or not anything is read: host and device take turns."""
    expected = BUILD + SUBMIT + DEVICE + TRIP + work + READ * boundary

    assert period(chain(work_s=work, boundary=boundary), batch(["off", "sync"])) == pytest.approx(expected)


@pytest.mark.parametrize("work", [50e-6, 500e-6])
def test_async_at_the_tail_overlaps_work_and_device(chain: MakeChain, batch: MakeBatch, work: float) -> None:
    """Read at a boundary, ASYNC takes the longer of the work and the device with its round trip."""
    expected = BUILD + SUBMIT + max(work, DEVICE + TRIP) + READ

    assert period(chain(work_s=work), batch(["off", "async"])) == pytest.approx(expected)


@pytest.mark.parametrize("work", [50e-6, 500e-6])
def test_a_stream_without_boundary_takes_the_longer_of_host_and_device(
    chain: MakeChain, batch: MakeBatch, work: float
) -> None:
    """When nothing is read, ASYNC lets the slower side set the pace."""
    expected = max(BUILD + SUBMIT + work, DEVICE)

    assert period(chain(work_s=work, boundary=False), batch(["off", "async"])) == pytest.approx(expected)


def test_a_window_holds_the_host_without_slowing_the_stream(chain: MakeChain, batch: MakeBatch) -> None:
    """With the device as the slower side a window keeps its pace and makes the host wait for it."""
    played = play(chain(boundary=False), batch(["off", "window:2"], ["off", "async"]), COSTS)

    assert played.period_s == pytest.approx([DEVICE, DEVICE])
    assert played.waited_s[0] > 0.0


def test_every_node_submits_as_often_as_there_are_nodes(chain: MakeChain, batch: MakeBatch) -> None:
    """A point at every node pays the call of a submission at each."""
    played = play(chain(work_s=500e-6, boundary=False), batch(["off", "async"], ["async", "async"]), COSTS)

    assert np.diff(played.busy_s) == pytest.approx([COSTS.submit_call_s])


def test_every_other_message_halves_submissions_but_not_work(chain: MakeChain, batch: MakeBatch) -> None:
    """EVERY:2 submits the work of two messages at once: half the calls, but all the ops and all the device time."""
    played = play(chain(work_s=500e-6, boundary=False), batch(["off", "async"], ["off", "every:2"]), COSTS)

    assert played.device_s == pytest.approx([DEVICE, DEVICE])
    assert -np.diff(played.busy_s) == pytest.approx([COSTS.submit_call_s / 2])


def test_what_a_withholding_node_keeps_back_costs_nothing_meanwhile(chain: MakeChain, batch: MakeBatch) -> None:
    """A node that runs on every fourth message is built, computed and read a fourth as often."""
    played = play(chain(periods=[1, 4]), batch(["async", "async"]), COSTS)

    assert played.device_s[0] == pytest.approx(DEVICE / 2 * (1 + 1 / 4))


def test_a_full_queue_blocks_the_host_until_the_device_catches_up(chain: MakeChain, batch: MakeBatch) -> None:
    """With room for two messages the host runs at the device's pace, and a wider queue changes nothing in that."""
    program, placement = chain(boundary=False), batch(["off", "async"])
    narrow = play(program, placement, replace(COSTS, queue=QueueRule(calls=2.0)))
    wide = play(program, placement, replace(COSTS, queue=QueueRule(calls=50.0)))

    assert narrow.capacity[0] == pytest.approx(2.0)
    assert narrow.held_s[0] == pytest.approx(DEVICE)
    assert narrow.blocked_s[0] == pytest.approx(DEVICE - BUILD - SUBMIT)
    assert wide.capacity[0] == pytest.approx(50.0)
    assert wide.period_s == pytest.approx(narrow.period_s)


def test_a_live_source_sets_the_pace_when_host_and_device_keep_up(chain: MakeChain, batch: MakeBatch) -> None:
    """Messages that come seldom are waited for, and each is through after what one takes by itself."""
    played = play(chain(source_s=1e-3), batch(["off", "async"]), COSTS)

    assert played.period_s[0] == pytest.approx(1e-3)
    assert played.latency_s[:, 0] == pytest.approx(BUILD + SUBMIT + DEVICE + TRIP + READ)


def test_a_source_faster_than_the_host_lets_messages_pile_up(chain: MakeChain, batch: MakeBatch) -> None:
    """When a message takes longer than the time to the next, each is through later than the one before."""
    played = play(chain(source_s=100e-6), batch(["off", "sync"]), COSTS)

    assert played.period_s[0] == pytest.approx(BUILD + SUBMIT + DEVICE + TRIP + READ)
    assert (np.diff(played.latency_s[:, 0]) > 0).all()


def test_a_streaming_device_begins_before_submission_is_over(chain: MakeChain, batch: MakeBatch) -> None:
    """Where ops are handed over one by one the device is ahead by all but the first of them."""
    whole, streaming = (
        period(chain(), batch(["off", "async"]), replace(COSTS, streams=streams)) for streams in (False, True)
    )

    assert whole - streaming == pytest.approx(COSTS.submit_op_s)


def test_an_idle_device_takes_a_moment_to_wake(chain: MakeChain, batch: MakeBatch) -> None:
    """Waking is on the way to a value that is waited for, and on the host where the device was long asleep."""
    costs = replace(COSTS, wake_s=15e-6, submit_asleep_s=60e-6, asleep_after_s=1e-6)

    assert period(chain(work_s=1e-3), batch(["off", "off"]), costs) == pytest.approx(
        period(chain(work_s=1e-3), batch(["off", "off"])) + 75e-6
    )


def test_short_idling_is_next_to_no_sleep(chain: MakeChain, batch: MakeBatch) -> None:
    """Idling for a tenth of the time that it takes to fall asleep costs about a hundredth of waking."""
    costs = replace(COSTS, submit_asleep_s=100e-6, asleep_after_s=10 * (BUILD + READ + TRIP))
    played = play(chain(), batch(["off", "off"]), costs)

    assert played.busy_s[0] - (BUILD + SUBMIT + READ) == pytest.approx(1e-6, rel=0.02)


def test_host_work_and_device_slow_each_other_while_both_work(chain: MakeChain, batch: MakeBatch) -> None:
    """Work beside the device takes longer by its slowing for each second of the device, and no longer in turns."""
    costs = replace(COSTS, host_slowing={"blas": 1.0}, device_slowing={"blas": 0.5})
    program = chain(work_s=500e-6, kind="blas", boundary=False)
    beside, turns = play(program, batch(["off", "async"], ["off", "sync"]), costs).busy_s

    assert beside == pytest.approx(BUILD + SUBMIT + 500e-6 + DEVICE)
    assert turns == pytest.approx(BUILD + SUBMIT + 500e-6)


def test_lingering_threads_slow_the_whole_message(chain: MakeChain, batch: MakeBatch) -> None:
    """Where threads go on spinning after their work, building a node beside the device is slowed as well."""
    costs = replace(COSTS, host_slowing={"blas": 1.0})
    program = chain(nodes=3, work_s=1e-3, kind="blas", boundary=False, device_s=8e-6)
    placement = batch(["async", "async", "async"])
    usual, lingering = (
        play(program, placement, replace(costs, lingering=frozenset(kinds))).busy_s[0] for kinds in ((), ("blas",))
    )

    assert lingering - usual == pytest.approx(2 * 8e-6)


def test_starting_work_is_paid_once_a_piece(chain: MakeChain, batch: MakeBatch) -> None:
    """What a kind of work takes longer in a graph is added to each piece of it, and to no other kind."""
    costs = replace(COSTS, starting_s={"blas": 40e-6})
    periods = [period(chain(work_s=1e-4, kind=kind), batch(["off", "sync"]), costs) for kind in ("blas", "python")]

    assert periods[0] - periods[1] == pytest.approx(40e-6)


def test_a_read_that_lags_leaves_the_device_time_to_finish(chain: MakeChain, batch: MakeBatch) -> None:
    """Reading what the message before gave takes the longer of host and device, as if nothing was read."""
    program = chain(work_s=50e-6)
    steps = (*program.steps[:-1], Step("read", READ, 1, lag=1))
    taken = period(replace(program, steps=steps), batch(["off", "async"]))

    assert taken == pytest.approx(DEVICE)


@any_way
@given(chosen=placements, work=seconds, device=seconds, kind=st.sampled_from(["", "python", "blas"]))
def test_more_host_work_never_makes_messages_faster(
    chain: MakeChain, batch: MakeBatch, chosen: list[tuple[str, ...]], work: float, device: float, kind: str
) -> None:
    """With half as much host work again no placement takes less time; averages over a few messages differ by less."""
    some, more = (
        play(chain(nodes=3, work_s=amount, device_s=device, kind=kind), batch(*chosen), CONTENDED).period_s
        for amount in (work, 1.5 * work)
    )

    assert (more >= some * (1 - AVERAGING)).all()


@any_way
@given(chosen=placements, work=seconds, device=seconds)
def test_more_device_time_never_makes_messages_faster(
    chain: MakeChain, batch: MakeBatch, chosen: list[tuple[str, ...]], work: float, device: float
) -> None:
    """Where idling costs nothing, half as much device time again never shortens the time from message to message."""
    costs = replace(CONTENDED, wake_s=0.0)
    some, more = (
        play(chain(nodes=3, work_s=work, device_s=amount, kind="python"), batch(*chosen), costs).period_s
        for amount in (device, 1.5 * device)
    )

    assert (more >= some * (1 - 1e-9)).all()


@any_way
@given(
    chosen=placements,
    work=seconds,
    device=seconds,
    boundary=st.booleans(),
    kind=st.sampled_from(["", "python", "blas"]),
)
def test_a_placement_is_played_alike_alone_and_among_others(
    chain: MakeChain,
    batch: MakeBatch,
    chosen: list[tuple[str, ...]],
    work: float,
    device: float,
    boundary: bool,
    kind: str,
) -> None:
    """Each row of a batch is what the same placement gives by itself, in every number."""
    program = chain(nodes=3, work_s=work, device_s=device, boundary=boundary, kind=kind)
    costs = replace(CONTENDED, submit_asleep_s=60e-6, asleep_after_s=200e-6)
    together = play(program, batch(*chosen), costs)
    for row, placement in enumerate(chosen):
        alone = play(program, batch(placement), costs)
        for name in ("period_s", "held_s", "busy_s", "device_s", "blocked_s", "waited_s"):
            pair = getattr(together, name)[row], getattr(alone, name)[0]
            assert pair[0] == pytest.approx(pair[1], rel=1e-6, abs=1e-10), name
