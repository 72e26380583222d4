"""Placements of a whole graph played: what can be added up by head comes out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.advice.flow import Flow
from placement_cli.advice.loads import loads_of
from placement_cli.advice.machine import Machine
from placement_cli.advice.playing import Outcome, Stage
from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode, every, window

FlowFrom = Callable[..., Flow]
US = 1e-6
CHAIN = """
a: {inputs: source, costs: {device: 300 us, output: 1 MiB}}
w: {backend: host, inputs: source, costs: {host: 500 us}}
out: {backend: host, inputs: [a, w], costs: {host: 0 us}}
"""
"""2 us to ingest, 10 to build, 20 a submission, 300 of the device, 500 of the host, 100 back and 1 to hand over."""
INGEST, BUILD, SUBMIT, DEVICE, WORK, BACK = 2.0, 10.0, 20.0, 300.0, 500.0, 101.0


def stage(flow: Flow, machine: Machine) -> Stage:
    """A graph ready to be played."""
    return Stage(flow, loads_of(flow, machine), machine)


def played(flow: Flow, machine: Machine, **modes: Mode) -> Outcome:
    """What one placement does: no point but these."""
    ready = stage(flow, machine)
    return ready.play(ready.batch([{name: modes.get(name, OFF) for name in ready.names}]))


def test_without_a_point_everything_comes_one_after_the_other(flow_from: FlowFrom, simple: Machine) -> None:
    """The device works while the host waits for it."""
    found = played(flow_from(CHAIN), simple)

    assert found.period_s[0] == pytest.approx((INGEST + BUILD + WORK + SUBMIT + DEVICE + BACK) * US)
    assert found.host_s[0] == pytest.approx(found.period_s[0])
    assert found.waited_s[0] == pytest.approx((DEVICE + 100) * US)
    assert found.device_s[0] == pytest.approx(DEVICE * US)


def test_with_a_point_the_device_works_beside_the_host(flow_from: FlowFrom, simple: Machine) -> None:
    """The longer of both counts; values that came back during the work cost no more."""
    found = played(flow_from(CHAIN), simple, a=ASYNC)

    assert found.period_s[0] == pytest.approx((INGEST + BUILD + SUBMIT + WORK + 1) * US)
    assert found.host_busy_s[0] == pytest.approx(found.period_s[0])


def test_sync_waits_where_it_stands(flow_from: FlowFrom, simple: Machine) -> None:
    """And the read that follows does not wait again."""
    found = played(flow_from(CHAIN), simple, a=SYNC)

    assert found.period_s[0] == pytest.approx((INGEST + BUILD + SUBMIT + DEVICE + 100 + WORK + 1) * US)
    assert found.latency_s[0] == pytest.approx(found.period_s[0])


def test_a_slow_device_sets_the_pace(flow_from: FlowFrom, simple: Machine) -> None:
    """The host runs ahead as far as the queue lets it, and holds that many messages."""
    flow = flow_from("a: {inputs: source, costs: {device: 5 ms, output: 1 MiB}}")
    message = 30 * 256 * 4 + (1 << 20)

    free, bound = (played(flow, simple, a=mode) for mode in (ASYNC, window(2)))

    assert free.period_s[0] == bound.period_s[0] == pytest.approx(5e-3)
    assert free.in_flight_bytes[0] == pytest.approx(63 * message)
    assert bound.in_flight_bytes[0] == pytest.approx(3 * message)
    assert free.blocked_s[0] > 0


PATTERNS = ["", "emits: {every: 3}, repeat: 5", "emits: {every: 50}, repeat: 2"]


@pytest.mark.parametrize("emits", PATTERNS)
@pytest.mark.parametrize("mode", [ASYNC, SYNC])
def test_who_keeps_up_takes_as_long_as_the_source(flow_from: FlowFrom, simple: Machine, emits: str, mode: Mode) -> None:
    """Whatever the pattern of outputs, however long it takes to come round."""
    node = f"a: {{inputs: source, {emits}{', ' if emits else ''}costs: {{device: 100 us}}}}"
    flow = flow_from(f"{node}\nb: {{backend: host, inputs: a, costs: {{host: 100 us}}}}", "{shape: [1, 1], rate: 1000}")

    assert played(flow, simple, **dict.fromkeys(stage(flow, simple).names, mode)).period_s[0] == 1e-3


def test_who_does_not_keep_up_takes_as_long_as_it_takes(flow_from: FlowFrom, simple: Machine) -> None:
    """On the host or on the device."""
    host = "a: {inputs: source, costs: {build: 3 ms}}"
    device = "a: {inputs: source, costs: {device: 3 ms}}"
    live = "{shape: [1, 1], rate: 1000}"

    assert played(flow_from(host, live), simple, a=ASYNC).period_s[0] == pytest.approx(3e-3, rel=0.01)
    assert played(flow_from(device, live), simple, a=ASYNC).period_s[0] == pytest.approx(3e-3, rel=0.01)


def test_nothing_evaluated_is_nothing_done(flow_from: FlowFrom, simple: Machine) -> None:
    """Then a message takes what the host takes to build it."""
    found = played(flow_from("a: {inputs: source, costs: {device: 5 ms}}"), simple)

    assert found.device_s[0] == 0
    assert found.period_s[0] == pytest.approx((INGEST + BUILD) * US)


def test_evaluating_seldom_costs_its_share_however_seldom(flow_from: FlowFrom, simple: Machine) -> None:
    """The device's work of a state is the same in the end; submitting and waiting are paid once in a while."""
    flow = flow_from("a: {inputs: source, state: carried, costs: {device: 40 us}}")

    for depth in (10, 100, 1_000_000):
        found = played(flow, simple, a=every(depth))
        assert found.device_s[0] == pytest.approx(40 * US)
        assert (INGEST + BUILD + 40) * US <= found.period_s[0] <= (INGEST + BUILD + 40 + 12 + 1) * US
        assert found.ahead[0] == depth


def test_a_value_of_the_message_before_is_there_without_waiting(flow_from: FlowFrom, simple: Machine) -> None:
    """The device had a whole message's time for it; it comes a period later."""
    nodes = CHAIN.replace("[a, w]", "[{node: a, lag: 1}, w]")
    found = played(flow_from(nodes), simple, a=ASYNC)

    assert found.waited_s[0] == 0
    assert found.latency_s[0] > found.period_s[0]


def test_a_value_of_the_message_before_is_waited_for_on_a_slow_device(flow_from: FlowFrom, simple: Machine) -> None:
    """So that no more than that message is in flight besides this one."""
    nodes = "a: {inputs: source, costs: {device: 5 ms, output: 1 MiB}}\nb: {backend: host, inputs: [{node: a, lag: 1}]}"
    found = played(flow_from(nodes), simple, a=ASYNC)

    assert found.period_s[0] == pytest.approx(5e-3, rel=0.05)
    assert found.ahead[0] == pytest.approx(2, abs=0.5)


THREADS = [
    ("b: {inputs: a, process: p, costs: {device: 4 ms}}", 7e-3),
    ("b: {inputs: source, process: p, costs: {device: 4 ms}}", 4e-3),
    ("b: {inputs: source, process: p, costs: {device: 4 ms}}\nc: {backend: host, inputs: [a, b]}", 7e-3),
]


@pytest.mark.parametrize(("nodes", "latency_s"), THREADS)
def test_only_threads_that_send_to_each_other_add_up_in_latency(
    flow_from: FlowFrom, simple: Machine, nodes: str, latency_s: float
) -> None:
    """Two processes side by side are as late as the slower."""
    flow = flow_from(f"a: {{inputs: source, costs: {{device: 3 ms}}}}\n{nodes}")
    found = played(flow, simple, a=SYNC, b=SYNC)

    assert found.latency_s[0] == pytest.approx(latency_s, rel=0.1)


def test_threads_share_one_device(flow_from: FlowFrom, simple: Machine) -> None:
    """It works on one after the other."""
    flow = flow_from(
        "a: {inputs: source, costs: {device: 3 ms}}\nb: {inputs: source, thread: t, costs: {device: 4 ms}}"
    )
    found = played(flow, simple, a=ASYNC, b=ASYNC)

    assert found.period_s[0] == pytest.approx(7e-3)
    assert found.busiest_s[0] <= found.period_s[0] * (1 + 1e-9)


def test_nothing_is_in_flight_of_nothing(flow_from: FlowFrom, simple: Machine) -> None:
    """A graph of host nodes has an outcome too."""
    found = played(flow_from("a: {backend: host, inputs: source, costs: {host: 1 ms}}"), simple)

    assert found.period_s[0] == pytest.approx(1e-3)
    assert found.in_flight_bytes[0] == 0


@settings(deadline=None)
@given(st.lists(st.sampled_from([OFF, ASYNC, SYNC, window(3), every(9)]), min_size=3, max_size=3))
def test_placements_survive_being_numbers(flow_from: FlowFrom, simple: Machine, modes: list[Mode]) -> None:
    """Row by row."""
    ready = stage(flow_from("a: {inputs: source, repeat: 3}"), simple)
    placement = dict(zip(ready.names, modes, strict=True))

    assert ready.placement(ready.batch([{}.fromkeys(ready.names, OFF), placement]), 1) == placement


def test_rows_are_played_as_if_alone(flow_from: FlowFrom, simple: Machine) -> None:
    """What else is in the batch changes nothing."""
    ready = stage(flow_from(f"{CHAIN.strip()}\nb: {{inputs: a, emits: {{every: 3}}}}"), simple)
    rows = [{"a": a, "b": b} for a in (OFF, ASYNC, SYNC, window(1)) for b in (OFF, ASYNC, every(2))]
    batch = ready.play(ready.batch(rows))

    for number, row in enumerate(rows):
        alone = ready.play(ready.batch([row]))
        assert np.allclose(
            [batch.period_s[number], batch.host_s[number], batch.in_flight_bytes[number]],
            [alone.period_s[0], alone.host_s[0], alone.in_flight_bytes[0]],
            rtol=0.02,
        )


def test_a_stated_submission_is_paid_at_its_point(flow_from: FlowFrom, simple: Machine) -> None:
    """Instead of what the profile says; a point elsewhere or a read costs as ever."""
    nodes = "a: {inputs: source}\nb: {inputs: a, costs: {submit: 300 us}}"
    at_a, at_b = (played(flow_from(nodes), simple, **{name: ASYNC}) for name in ("a", "b"))

    assert at_b.host_busy_s[0] - at_a.host_busy_s[0] == pytest.approx(280 * US)
