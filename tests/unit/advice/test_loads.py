"""What every node costs: as stated, as the profile knows its operator, or assumed and said so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from placement_cli.advice.flow import Flow
from placement_cli.advice.loads import Guess, Load, loads_of
from placement_cli.advice.machine import Machine
from placement_cli.timeline.costs import Costs

FlowFrom = Callable[..., Flow]
MESSAGE = 30 * 256 * 4
"""Bytes of the message of these tests."""


@pytest.fixture
def tabled(simple: Machine) -> Machine:
    """A machine that knows `abs` and `sosfilt` at one size, and moves 1 GB in a second."""
    costs = replace(simple.costs, build_op_s=1e-6)
    table = {"abs": ((7680.0, 5e-6),), "sosfilt": ((7680.0, 40e-6),)}
    return replace(simple, costs=costs, device_table=table, byte_s=1e-9, kernel_s=2e-6, arrays_held=3.0)


def load(flow_from: FlowFrom, machine: Machine, node: str, guess: Guess | None = None, **source: str) -> Load:
    """The load of the last of these nodes."""
    return loads_of(flow_from(node, **source), machine, guess or Guess())[-1]


def test_what_is_stated_counts_before_everything(flow_from: FlowFrom, tabled: Machine) -> None:
    """Nothing of it is called unknown."""
    stated = "build: 3 us, device: 7 us, device_after_idle: 9 us, host: 1 ms, ops: 4, kernels: 2, output: 10 B"
    found = load(
        flow_from, tabled, f"a: {{op: abs, inputs: source, costs: {{{stated}, intermediates: 5 B, buffers: 6}}}}"
    )

    assert (found.build_s, found.device_s, found.idle_device_s, found.host_s) == (3e-6, 7e-6, 9e-6, 1e-3)
    assert (found.ops, found.kernels, found.buffers) == (4, 2, 6)
    assert (found.output_bytes, found.intermediates_bytes, found.held_bytes) == (10, 5, 15)
    assert not found.unknown


def test_an_operator_costs_what_its_table_says(flow_from: FlowFrom, tabled: Machine) -> None:
    """Its ops and output follow from the shape of the message; nothing is unknown."""
    found = load(flow_from, tabled, "a: {op: abs, inputs: source}")

    assert (found.device_s, found.ops, found.output_bytes) == (5e-6, 1, MESSAGE)
    assert found.build_s == pytest.approx(11e-6)
    assert found.held_bytes == 3 * MESSAGE
    assert not found.unknown


def test_other_parameters_cost_in_proportion_to_what_they_move(flow_from: FlowFrom, tabled: Machine) -> None:
    """The table is at the defaults."""
    usual = load(flow_from, tabled, "a: {op: sosfilt, inputs: source}")
    more = load(flow_from, tabled, "a: {op: sosfilt, inputs: source, params: {sections: 8}}")

    assert usual.device_s == 40e-6
    assert more.device_s == pytest.approx(usual.device_s * more.bytes_moved / usual.bytes_moved)


def test_an_operator_without_a_table_is_estimated_by_its_bytes(flow_from: FlowFrom, tabled: Machine) -> None:
    """And named as such."""
    found = load(flow_from, tabled, "a: {op: scale, inputs: source}")

    assert found.device_s == pytest.approx(found.kernels * 2e-6 + found.bytes_moved * 1e-9)
    assert found.unknown == {"rate"}


def test_an_opaque_node_is_one_op_on_as_much_as_comes_in(flow_from: FlowFrom, tabled: Machine) -> None:
    """Everything about it is named unknown."""
    found = load(flow_from, tabled, "a: {inputs: source, costs: {output: 4 KiB}}\nb: {inputs: [a, source]}")

    assert (found.ops, found.output_bytes) == (1, MESSAGE)
    assert found.device_s == pytest.approx(2e-6 + (4096 + 2 * MESSAGE) * 1e-9)
    assert found.unknown == {"build", "device", "output"}


UNKNOWN = [
    ("a: {inputs: source, costs: {device: 1 ms}}", {"build", "output"}),
    ("a: {inputs: source, costs: {build: 1 ms}}", {"device", "output"}),
    ("a: {inputs: source, costs: {ops: 3, output: 1 B}}", {"device"}),
    ("a: {inputs: source, backend: host, costs: {output: 1 B}}", {"host"}),
    ("a: {inputs: source, op: values}", set()),
    ("a: {op: abs, inputs: source, costs: {device: 1 us}}", set()),
]


@pytest.mark.parametrize(("node", "unknown"), UNKNOWN)
def test_only_what_was_assumed_is_unknown(flow_from: FlowFrom, tabled: Machine, node: str, unknown: set[str]) -> None:
    """Build and device time, the size of the output, the work of a host node."""
    assert load(flow_from, tabled, node).unknown == unknown


def test_operators_do_not_know_messages_of_other_types(flow_from: FlowFrom, tabled: Machine) -> None:
    """Then they are opaque nodes."""
    found = load(flow_from, tabled, "a: {op: abs, inputs: source}", source="{shape: [30, 256], dtype: int8}")

    assert "device" in found.unknown
    assert found.output_bytes == 30 * 256


def test_guesses_change_what_is_unknown_alone(flow_from: FlowFrom, tabled: Machine) -> None:
    """By factors, and building by at least so many seconds."""
    guess = Guess(build=2.0, device=10.0, build_s=1e-3)
    known = load(flow_from, tabled, "a: {op: abs, inputs: source}", guess)
    opaque = load(flow_from, tabled, "a: {inputs: source}", guess)
    usual = load(flow_from, tabled, "a: {inputs: source}")

    assert known.device_s == 5e-6
    assert opaque.device_s == pytest.approx(10 * usual.device_s)
    assert opaque.build_s == 1e-3


def test_the_work_of_the_host_has_a_kind(flow_from: FlowFrom, tabled: Machine) -> None:
    """A stated time is plain Python; the operator says which it is."""
    stated = load(flow_from, tabled, "a: {backend: host, inputs: source, costs: {host: 2 ms}}")
    spelled = load(flow_from, tabled, "a: {op: host, params: {kind: blas, length_ms: 3}, inputs: source}")

    assert (stated.host_s, stated.host_kind) == (2e-3, "python")
    assert (spelled.host_s, spelled.host_kind) == (3e-3, "blas")


def test_what_comes_later_is_as_large_as_the_message(flow_from: FlowFrom, tabled: Machine) -> None:
    """A node that reads an earlier message of a node behind it needs no size of that."""
    found = loads_of(flow_from("a: {inputs: [{node: b, lag: 1}]}\nb: {inputs: a, costs: {output: 1 GB}}"), tabled)

    assert found[0].output_bytes == MESSAGE


def test_what_the_device_works_on_is_at_least_one_op(flow_from: FlowFrom, simple: Machine) -> None:
    """Queues are counted in ops."""
    working = load(flow_from, simple, "a: {inputs: source, costs: {ops: 0, device: 1 ms}}")
    view = load(flow_from, simple, "a: {inputs: source, costs: {ops: 0, kernels: 0, device: 0 us}}")

    assert (working.ops, view.ops) == (1, 0)


def test_build_time_counts_the_node_and_its_ops(flow_from: FlowFrom, simple: Machine) -> None:
    """As far as the profile tells them apart."""
    machine = replace(simple, costs=Costs(build_node_s=5e-6, build_op_s=2e-6))

    assert load(flow_from, machine, "a: {inputs: source, costs: {ops: 10}}").build_s == pytest.approx(25e-6)
