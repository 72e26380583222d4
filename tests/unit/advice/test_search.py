"""The placement that is found: exact for few outputs, bounded beyond, and what is known about it said."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.advice.feasible import bounds_of
from placement_cli.advice.flow import Flow, flow_of
from placement_cli.advice.judging import CARELESS_BYTES, CLOSE_BYTES, LOOP_PLAINNESS, PLAINNESS, TIE, Tried
from placement_cli.advice.loads import loads_of
from placement_cli.advice.machine import Machine
from placement_cli.advice.playing import Stage
from placement_cli.advice.search import EXACT_SITES, Found, Search
from placement_cli.graph.document.reading import graph_of
from placement_cli.graph.mode import ASYNC, OFF

FlowFrom = Callable[..., Flow]
Documents = Callable[[int], st.SearchStrategy[dict[str, Any]]]
NO_ERROR = -1e6
"""So small an error that points which only the model justifies are believed."""


def search(flow: Flow, machine: Machine, error: float | None = None) -> Search:
    """The search for a graph."""
    stage = Stage(flow, loads_of(flow, machine), machine)
    pinned = np.array([node.node.pinned for node in flow.mlx_nodes], dtype=bool)
    bounds = bounds_of(flow.graph, machine.buffer_limit)
    return Search(stage, bounds, stage.batch([flow.current]), pinned, machine.error if error is None else error)


def told(flow: Flow, machine: Machine, found: Found) -> str:
    """The placement that was found, in words."""
    stage = Stage(flow, loads_of(flow, machine), machine)
    chosen = stage.placement(found.tried.batch, found.row)
    return " ".join(f"{name}={mode}" for name, mode in chosen.items() if mode.submits)


def placement(flow_from: FlowFrom, machine: Machine, *given: str, **other: str) -> str:
    """The placement of a graph, in words."""
    flow = flow_from(*given, **other)
    return told(flow, machine, search(flow, machine).run())


def first_by_the_stated_order(kind: str, current: Any, tried: Tried) -> int:
    """Feasible first, then host time, latency of live sources, memory, points, changes, plainness, the later place."""
    host = tried.outcome.period_s if kind == "once" else tried.outcome.host_s
    rows = [row for row in range(len(tried.batch)) if tried.fine[row]]

    def nearly_least(value: Callable[[int], float], slack: float) -> None:
        least = min(map(value, rows))
        rows[:] = [row for row in rows if value(row) <= least * slack]

    nearly_least(lambda row: float(host[row]), 1 + TIE)
    if kind == "live":
        nearly_least(lambda row: float(tried.outcome.latency_s[row]), 1 + TIE)
    nearly_least(lambda row: max(float(tried.memory[row]), float(CARELESS_BYTES)), CLOSE_BYTES)

    def simple(row: int) -> tuple[float, ...]:
        codes = tried.batch.codes[row].tolist()
        plain = LOOP_PLAINNESS if kind == "loop" else PLAINNESS
        return (
            sum(code > 0 for code in codes),
            sum(code != now for code, now in zip(codes, current, strict=True)),
            sum(plain[code] for code in codes),
            int(tried.batch.depths[row].sum()),
            -sum(place for place, code in enumerate(codes, start=1) if code),
            round(float(host[row]), 12),
        )

    return min(rows, key=simple)


@settings(deadline=None, max_examples=80)
@given(st.data())
def test_of_few_outputs_none_is_better_by_the_stated_order(
    documents: Documents, metal: Machine, data: st.DataObject
) -> None:
    """Against every combination of off and async, and whatever the search itself tried."""
    flow = flow_of(graph_of(data.draw(documents(5))))
    searching = search(flow, metal, NO_ERROR)
    free = len(searching.candidates.free)
    if not 0 < free <= 8:
        return
    found = searching.run()
    current = searching.judge.current
    rows = [
        flow.current
        | {
            flow.mlx_nodes[int(column)].name: mode
            for column, mode in zip(searching.candidates.free, modes, strict=True)
        }
        for modes in product([OFF, ASYNC], repeat=free)
    ]
    every = searching.try_all(searching.judge.stage.batch(rows))
    if not found.tried.fine.any():
        assert not every.fine.any()
        return
    assert found.tried.fine[found.row]
    kind, now = flow.graph.source.kind, current.codes[0].tolist()
    assert first_by_the_stated_order(kind, now, found.tried) == found.row
    known = {row.tobytes() for row in found.tried.batch.codes}
    assert all(codes.tobytes() in known for codes, fine in zip(every.batch.codes, every.fine, strict=True) if fine)


OVERLAP = """
a: {inputs: source, costs: {device: 2 ms}}
w: {backend: host, inputs: source, costs: {host: 2 ms}}
out: {backend: host, inputs: [a, w], costs: {host: 0 us}}
"""


def test_host_work_is_overlapped(flow_from: FlowFrom, simple: Machine) -> None:
    """With one point where the work begins."""
    assert placement(flow_from, simple, OVERLAP) == "a=async"


def test_where_a_read_follows_at_once_nothing_is_placed(flow_from: FlowFrom, simple: Machine) -> None:
    """A point would be void."""
    assert placement(flow_from, simple, "a: {inputs: source}\nb: {backend: host, inputs: a}") == ""


def test_a_memory_limit_makes_a_window(flow_from: FlowFrom, simple: Machine) -> None:
    """As deep as fits: two messages more than the one being worked on. Little memory is no reason for one."""
    nodes = "a: {{inputs: source, costs: {{device: 5 ms, output: {}}}}}"

    assert placement(flow_from, simple, nodes.format("10 MiB"), limits="{memory: 35 MiB}") == "a=window:2"
    assert placement(flow_from, simple, nodes.format("10 KiB"), limits="{memory: 35 MiB}") == "a=async"


def test_sync_is_for_limits_that_nothing_else_keeps(flow_from: FlowFrom, simple: Machine) -> None:
    """One message fits, two do not."""
    nodes = "a: {inputs: source, costs: {device: 5 ms, output: 10 MiB}}"

    assert placement(flow_from, simple, nodes, limits="{memory: 15 MiB}") == "a=sync"


def test_long_loops_of_tiny_steps_are_evaluated_once_in_a_while(flow_from: FlowFrom, simple: Machine) -> None:
    """Where that wins more than the model's error; a replay would lose results."""
    nodes = "a: {inputs: source, state: carried, costs: {build: 2 us, device: 1 us}}"

    assert placement(flow_from, simple, nodes, "{shape: [1, 1], kind: loop, messages: 100000}") == "a=every:100"
    assert placement(flow_from, simple, nodes, "{shape: [1, 1], kind: replay, messages: 100000}") == "a=async"


def test_one_message_beyond_the_limit_is_split(flow_from: FlowFrom, simple: Machine) -> None:
    """At the node where most is gone."""
    nodes = (
        "a: {inputs: source, costs: {output: 1 MiB, intermediates: 20 MiB}}\n"
        "b: {inputs: a, costs: {output: 1 MiB, intermediates: 20 MiB}}"
    )

    assert placement(flow_from, simple, nodes, "{shape: [1, 1], kind: once}", limits="{memory: 30 MiB}") == "a=sync"


def test_pinned_points_stay_and_are_counted(flow_from: FlowFrom, simple: Machine) -> None:
    """In what is said about the search too."""
    flow = flow_from("a: {inputs: source, evaluate: sync, pinned: true}\nb: {inputs: a}\nc: {inputs: b}")
    found = search(flow, simple).run()

    assert told(flow, simple, found).startswith("a=sync ")
    assert found.proof == (
        "All 4 combinations of off and async at 2 outputs (1 more is pinned) were tried; none is better by more than "
        "the model's error."
    )


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        ("a: {inputs: source, evaluate: sync, pinned: true}", "every output has a pinned evaluation point."),
        ("a: {inputs: source, backend: host}", "no node computes with MLX."),
    ],
)
def test_where_there_is_nothing_to_choose_that_is_said(
    flow_from: FlowFrom, simple: Machine, nodes: str, says: str
) -> None:
    """And today's placement comes back."""
    flow = flow_from(nodes)
    found = search(flow, simple).run()

    assert found.proof == f"There is nothing to choose: {says}"
    assert told(flow, simple, found) == " ".join(f"{n}={m}" for n, m in flow.current.items())


def test_many_outputs_are_searched_and_nothing_is_claimed(flow_from: FlowFrom, simple: Machine) -> None:
    """What must be evaluated still is, with points that earn their cost."""
    nodes = f"""
        head: {{inputs: source, costs: {{device: 20 us}}, repeat: {EXACT_SITES}}}
        state: {{inputs: head, state: carried, costs: {{device: 2 ms}}}}
        bins: {{inputs: state, emits: {{every: 10}}}}
        w: {{backend: host, inputs: source, costs: {{host: 2 ms}}}}
        out: {{backend: host, inputs: [bins, w]}}
    """
    flow = flow_from(nodes)
    found = search(flow, simple).run()

    assert told(flow, simple, found) == "state=async"
    assert found.proof.endswith("It is not proved that none is better.")
    assert found.proof.startswith("14 outputs are too many")


def test_a_point_inside_a_long_segment_is_found(flow_from: FlowFrom, simple: Machine) -> None:
    """By flips of the best: the device begins while the host still builds, and that wins more than the error."""
    nodes = """
        early: {inputs: source, costs: {device: 3 ms}}
        rest: {inputs: early, costs: {build: 200 us, device: 1 us}, repeat: 15}
        out: {backend: host, inputs: rest, costs: {host: 0 us}}
    """

    assert placement(flow_from, simple, nodes) == "early=async"


def test_nothing_is_played_twice(flow_from: FlowFrom, simple: Machine) -> None:
    """Each placement is there once."""
    found = search(flow_from("a: {inputs: source, repeat: 15}"), simple).run()
    both = np.concatenate([found.tried.batch.codes, found.tried.batch.depths], axis=1)

    assert len(np.unique(both, axis=0)) == len(both)
