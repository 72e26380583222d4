"""Which placements are worth trying."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from placement_cli.advice.candidates import DEEPEST_WINDOW, EVERY_K, Candidates
from placement_cli.advice.feasible import bounds_of
from placement_cli.advice.flow import Flow
from placement_cli.advice.loads import loads_of
from placement_cli.advice.machine import Machine
from placement_cli.advice.playing import Stage
from placement_cli.advice.search import Search
from placement_cli.timeline.schedule import Batch

FlowFrom = Callable[..., Flow]
MIB = "output: 1 MiB, device: 1 ms"


def candidates(flow: Flow, machine: Machine) -> Candidates:
    """The candidates for a graph."""
    stage = Stage(flow, loads_of(flow, machine), machine)
    pinned = np.array([node.node.pinned for node in flow.mlx_nodes], dtype=bool)
    return Search(stage, bounds_of(flow.graph, 1), stage.batch([flow.current]), pinned, machine.error).candidates


def told(made: Candidates, *batches: Batch) -> list[str]:
    """Placements in words: the points that they have."""
    rows = [made.stage.placement(batch, row) for batch in batches for row in range(len(batch))]
    return [" ".join(f"{name}={mode}" for name, mode in row.items() if mode.submits) for row in rows]


def test_the_usual_rules_come_in_a_fixed_order(flow_from: FlowFrom, simple: Machine) -> None:
    """Today's, the tail, SYNC there, every node, a window, nothing."""
    made = candidates(flow_from("a: {inputs: source, evaluate: sync}\nb: {inputs: a}"), simple)

    assert told(made, made.rules()) == ["a=sync", "b=async", "b=sync", "a=async b=async", "b=window:2", ""]


def test_pinned_points_are_in_every_candidate(flow_from: FlowFrom, simple: Machine) -> None:
    """As they are."""
    made = candidates(
        flow_from("a: {inputs: source, evaluate: every:3, pinned: true}\nb: {inputs: a}\nc: {inputs: b}"), simple
    )

    assert all(row.startswith("a=every:3") for row in told(made, made.rules(), made.combinations(), *made.singles()))
    assert len(made.combinations()) == 2


def test_only_combinations_that_let_nothing_grow_are_played(flow_from: FlowFrom, simple: Machine) -> None:
    """Where there are any."""
    made = candidates(flow_from("a: {inputs: source, state: carried}\nb: {inputs: a}\nc: {inputs: b}"), simple)

    assert told(made, made.combinations()) == [
        "c=async",
        "a=async c=async",
        "b=async c=async",
        "a=async b=async c=async",
    ]


DEPTHS = [
    ("live, rate: 50", "{}", 2),
    ("loop", "{}", 1),
    ("replay", "{memory: 3 MiB}", 1),
    ("replay", "{memory: 4100 KiB}", 3),
    ("replay", "{memory: 1 GiB}", DEEPEST_WINDOW),
    ("replay", "{memory: 1 KiB}", 1),
]


@pytest.mark.parametrize(("kind", "limits", "depth"), DEPTHS)
def test_a_window_is_as_deep_as_memory_allows(
    flow_from: FlowFrom, simple: Machine, kind: str, limits: str, depth: int
) -> None:
    """K + 1 messages are in flight; a deeper one is of no use."""
    source = f"{{shape: [1, 1], kind: {kind}}}"
    made = candidates(flow_from("a: {inputs: source, costs: {output: 1 MiB}}", source, limits=limits), simple)

    assert made.depth() == depth


def test_what_covers_is_as_late_as_it_may_be(flow_from: FlowFrom, simple: Machine) -> None:
    """One point for each demand."""
    made = candidates(
        flow_from(
            "a: {inputs: source, state: carried}\nb: {inputs: a}\nc: {inputs: b, emits: {every: 9}}\n"
            "d: {backend: host, inputs: c}\ne: {inputs: source}"
        ),
        simple,
    )

    assert told(made, made.covering()) == ["b=async e=async"]


def test_the_last_points_of_all_threads_are_bounded_together_and_alone(flow_from: FlowFrom, simple: Machine) -> None:
    """A window in one thread is none for another."""
    made = candidates(flow_from("a: {inputs: source}\nb: {inputs: a}\nc: {inputs: source, thread: t}"), simple)
    tried = made.judge.try_all(made.with_mode([0, 1, 2], 1))
    found = told(made, *made.bounded(tried, np.array([0])))

    assert found == [
        "a=async b=window:2 c=window:2",
        "a=async b=window:2 c=async",
        "a=async b=async c=window:2",
    ]


SELDOM = [
    ("a: {inputs: source, state: carried}", "loop, messages: 2000", True),
    ("a: {inputs: source}", "loop, messages: 2000", True),
    ("a: {inputs: source, state: carried}", "loop, messages: 50", False),
    ("a: {inputs: source, state: carried}", "replay, messages: 2000", False),
    ("a: {inputs: source}\nb: {backend: host, inputs: a}", "replay, messages: 2000", False),
    (
        "a: {inputs: source, state: carried}\nb: {inputs: a, emits: {every: 3}}\nc: {backend: host, inputs: b}",
        "replay, messages: 2000",
        True,
    ),
    (
        "a: {inputs: source, state: carried}\nb: {inputs: a, emits: {every: 3}}\nc: {backend: host, inputs: b}",
        "live, rate: 50, messages: 2000",
        False,
    ),
]


@pytest.mark.parametrize(("nodes", "kind", "seldom"), SELDOM)
def test_evaluating_once_in_a_while_is_tried_only_where_nothing_is_lost(
    flow_from: FlowFrom, simple: Machine, nodes: str, kind: str, seldom: bool
) -> None:
    """In long loops, and for states whose values somebody else asks for; a result would not be computed."""
    made = candidates(flow_from(nodes, f"{{shape: [1, 1], kind: {kind}}}"), simple)
    tried = made.judge.try_all(made.with_mode([0], 1))
    found = told(made, *made.bounded(tried, np.array([0])))

    assert [row for row in found if "every" in row] == ([f"a=every:{depth}" for depth in EVERY_K] if seldom else [])


def test_waiting_is_for_this_message_or_the_one_before(flow_from: FlowFrom, simple: Machine) -> None:
    """At the last point."""
    made = candidates(flow_from("a: {inputs: source}\nb: {inputs: a}"), simple)
    tried = made.judge.try_all(made.with_mode([0, 1], 1))

    assert told(made, *made.waiting(tried, np.array([0]))) == ["a=async b=window:1", "a=async b=sync"]


def test_a_message_that_is_too_large_is_split(flow_from: FlowFrom, simple: Machine) -> None:
    """And only such a message; a pinned point is no place for another mode."""
    nodes = "a: {{inputs: source, costs: {{output: 1 MiB}}{}}}\nb: {{inputs: a, costs: {{output: 1 MiB}}}}"
    source = "{shape: [512, 512], kind: once}"
    free = candidates(flow_from(nodes.format(""), source, limits="{memory: 2500 KiB}"), simple)
    roomy = candidates(flow_from(nodes.format(""), source, limits="{memory: 1 GiB}"), simple)
    pinned = candidates(
        flow_from(nodes.format(", evaluate: async, pinned: true"), source, limits="{memory: 2500 KiB}"), simple
    )

    assert set(told(free, *free.splits())) == {"a=sync", "a=sync b=async"}
    assert not [*roomy.splits()]
    assert not [*pinned.splits()]


def test_of_many_outputs_some_are_tried_evenly(flow_from: FlowFrom, simple: Machine) -> None:
    """With the last among them."""
    made = candidates(flow_from("a: {inputs: source, repeat: 3000}"), simple)
    rows = [*made.singles()]

    assert 10 < len(rows) < 300
    assert rows[0].codes[0, -1]
