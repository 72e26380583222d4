"""From a graph to what each thread does for one message."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from placement_cli.advice.compiling import Executor, executors_of, played_period
from placement_cli.advice.flow import Flow
from placement_cli.advice.loads import loads_of
from placement_cli.advice.machine import Machine
from placement_cli.timeline.play import LONGEST_CYCLE

FlowFrom = Callable[..., Flow]


def compiled(flow: Flow, machine: Machine) -> tuple[Executor, ...]:
    """The executors of a graph."""
    return executors_of(flow, loads_of(flow, machine), machine)


def told(executor: Executor) -> list[str]:
    """The steps of an executor, in words."""
    steps = [step for step in executor.program.steps if step.kind != "host" or step.seconds]
    return [" ".join(filter(None, (step.kind, str(step.node) if step.node >= 0 else ""))) for step in steps]


def periods(executor: Executor, kind: str) -> Sequence[int]:
    """On every how many-th message steps of a kind happen."""
    return [step.period for step in executor.program.steps if step.kind == kind]


def test_a_message_is_ingested_built_worked_on_and_read_in_order(flow_from: FlowFrom, simple: Machine) -> None:
    """The host reads values when it comes to the node that needs them."""
    flow = flow_from(
        "a: {inputs: source}\nb: {inputs: a}\nw: {backend: host, inputs: source, costs: {host: 1 ms}}\n"
        "out: {backend: host, inputs: [b, w]}"
    )
    [only] = compiled(flow, simple)

    assert told(only) == ["host", "host", "node 0", "host", "node 1", "work", "read 1"]
    assert [step.seconds for step in only.program.steps if step.kind != "node"] == [2e-6, 10e-6, 10e-6, 1e-3, 1e-6]


def test_threads_and_processes_run_side_by_side(flow_from: FlowFrom, simple: Machine) -> None:
    """Each with its own nodes; what leaves a process is read by its sender, at once and once."""
    flow = flow_from(
        "a: {inputs: source}\nb: {inputs: a, process: p}\nc: {inputs: a, process: q}\n"
        "d: {inputs: b, process: p, thread: t}"
    )
    found = compiled(flow, simple)

    assert [each.place for each in found] == [("", ""), ("p", ""), ("q", ""), ("p", "t")]
    assert told(found[0]) == ["host", "host", "node 0", "read 0"]
    assert [each.members for each in found] == [(0,), (1,), (2,), (3,)]


def test_arrays_are_made_of_what_comes_from_outside(flow_from: FlowFrom, simple: Machine) -> None:
    """Of the message, of what host nodes give and of what other processes send: each once a thread."""
    flow = flow_from(
        "a: {inputs: source, costs: {output: 100 B}}\nh: {backend: host, inputs: a, costs: {output: 10 B}}\n"
        "b: {inputs: [h, source]}\nc: {inputs: [h, b]}\nd: {inputs: [a, c], process: p, costs: {output: 1 B}}",
    )
    first, second = compiled(flow, simple)

    assert first.ingested_bytes == 30 * 256 * 4 + 10
    assert [step.seconds for step in first.program.steps if step.kind == "host"].count(2e-6) == 2
    assert second.ingested_bytes == 100 + 30 * 256 * 4


def test_a_node_that_forces_reads_when_it_runs_or_only_when_it_emits(flow_from: FlowFrom, simple: Machine) -> None:
    """Then on every fourth message."""
    nodes = "a: {{inputs: source}}\nb: {{inputs: a, forces: {}, emits: {{every: 4}}}}"

    assert periods(compiled(flow_from(nodes.format("always")), simple)[0], "read") == [1]
    assert periods(compiled(flow_from(nodes.format("on-emit")), simple)[0], "read") == [4]


def test_a_reader_that_waits_for_a_partner_reads_as_seldom(flow_from: FlowFrom, simple: Machine) -> None:
    """Neither input is read before both are there."""
    flow = flow_from(
        "a: {inputs: source}\nb: {inputs: source, emits: {every: 4}}\n"
        "c: {backend: host, inputs: [a, b], costs: {host: 1 s}}"
    )
    [only] = compiled(flow, simple)

    assert (periods(only, "read"), periods(only, "work")) == ([4, 4], [4])


def test_reading_an_earlier_message_says_so(flow_from: FlowFrom, simple: Machine) -> None:
    """The executor is as late as its latest read."""
    flow = flow_from("a: {inputs: source}\nb: {backend: host, inputs: [{node: a, lag: 2}]}")
    [only] = compiled(flow, simple)

    assert [step.lag for step in only.program.steps if step.kind == "read"] == [2]
    assert only.lag == 2


def test_what_happens_too_seldom_to_be_played_costs_its_share(flow_from: FlowFrom, simple: Machine) -> None:
    """On the longest cycle, with as much less as that is more often."""
    flow = flow_from("a: {inputs: source, emits: {every: 6400}}\nb: {inputs: a, costs: {device: 1 ms, build: 2 ms}}")
    program = compiled(flow, simple)[0].program
    share = LONGEST_CYCLE / 6400

    assert played_period(6400) == LONGEST_CYCLE
    assert program.device_s[1] == pytest.approx(1e-3 * share)
    assert [step.seconds for step in program.steps if step.kind == "host"][-1] == pytest.approx(2e-3 * share)
    assert program.period.tolist() == [1, LONGEST_CYCLE]


def test_a_single_pass_ends_with_its_values(flow_from: FlowFrom, simple: Machine) -> None:
    """Whoever runs it wants them."""
    flow = flow_from("a: {inputs: source}\nb: {inputs: a}\nc: {inputs: a}", "{shape: [1, 1], kind: once}")

    assert told(compiled(flow, simple)[0])[-2:] == ["read 1", "read 2"]


def test_work_piles_up_where_a_later_message_needs_it(flow_from: FlowFrom, simple: Machine) -> None:
    """At and before a state; in a loop everywhere."""
    nodes = "a: {inputs: source}\nb: {inputs: a, state: carried}\nc: {inputs: b}"

    assert compiled(flow_from(nodes), simple)[0].program.piles.tolist() == [True, True, False]
    loop = flow_from(nodes, "{shape: [1, 1], kind: loop}")
    assert compiled(loop, simple)[0].program.piles.all()


def test_ancestors_are_of_the_same_thread(flow_from: FlowFrom, simple: Machine) -> None:
    """Another thread's nodes have their own program."""
    flow = flow_from("a: {inputs: source, thread: t}\nb: {inputs: source}\nc: {inputs: [a, b]}")
    second = compiled(flow, simple)[1]

    assert second.members == (1, 2)
    assert second.program.ancestors.tolist() == [[True, False], [True, True]]
