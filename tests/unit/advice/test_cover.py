"""What is evaluated, and how many messages pass until something evaluated depends on a state."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.advice.cover import cover, least_gaps, reads, uncovered
from placement_cli.advice.flow import Flow, flow_of
from placement_cli.graph.document.reading import graph_of
from placement_cli.graph.mode import ASYNC, OFF, Mode, every, window

FlowFrom = Callable[..., Flow]
Documents = Callable[[int], st.SearchStrategy[dict[str, Any]]]
GROWTH = json.loads((Path(__file__).parents[2] / "data" / "graphs" / "state_growth.json").read_text(encoding="utf-8"))
INPUT_OPS = 2
"""Pending operations of each message that was fed when the growth of states was recorded."""


def placed(flow: Flow, **modes: Mode) -> dict[str, Mode]:
    """No point but these."""
    return {node.name: modes.get(node.name, OFF) for node in flow.mlx_nodes}


def gap(flow: Flow, name: str, **modes: Mode) -> float:
    """The gap of the state of a node under these points."""
    return cover(flow, placed(flow, **modes)).gaps[flow.by_name(name).number]


def slope(counts: list[int]) -> float:
    """Operations added by each message."""
    return (counts[-1] - counts[0]) / 30


GROWING = [each for each in GROWTH if slope(each["off"]) and "Spectrogram" not in each["unit"]]


@pytest.mark.parametrize("recorded", GROWING, ids=[each["unit"] for each in GROWING])
def test_recorded_states_grow_as_said(flow_from: FlowFrom, recorded: Mapping[str, Any]) -> None:
    """With nothing evaluated by their own and their input's operations, with a barrier upstream by their own alone."""
    own = slope(recorded["head"])
    flow = flow_from(f"feed: {{inputs: source}}\nunit: {{inputs: feed, state: carried, costs: {{ops: {own:.0f}}}}}")
    ops = {0: INPUT_OPS, 1: own}

    found = {
        name: cover(flow, placement)
        for name, placement in {
            "off": placed(flow),
            "head": placed(flow, feed=ASYNC),
            "tail": placed(flow, unit=ASYNC),
        }.items()
    }

    for name in ("off", "head"):
        assert found[name].gaps[1] == inf
        assert sum(ops[number] for number in uncovered(flow, found[name], 1)) == slope(recorded[name])
    assert found["tail"].gaps[1] == 1
    assert slope(recorded["tail"]) == 0


def test_a_barrier_upstream_is_not_enough(flow_from: FlowFrom) -> None:
    """A state at or after it stays lazy; the barrier must be at or after the state."""
    flow = flow_from(
        "head: {inputs: source}\nfir: {inputs: head, state: carried}\nbins: {inputs: fir, emits: {every: 50}}"
    )

    assert gap(flow, "fir", head=ASYNC) == inf
    assert gap(flow, "fir", fir=ASYNC) == 1


def test_after_what_withholds_only_the_period_bounds(flow_from: FlowFrom) -> None:
    """In the worst pattern nothing fires in between; where chance decides there is no worst pattern."""
    nodes = "fir: {{inputs: source, state: carried}}\nbins: {{inputs: fir, emits: {{{}}}}}"

    assert gap(flow_from(nodes.format("every: 50")), "fir", bins=ASYNC) == 50
    assert gap(flow_from(nodes.format("every: 50")), "fir", bins=every(3)) == 150
    assert gap(flow_from(nodes.format("probability: 0.5")), "fir", bins=ASYNC) == inf


def test_no_output_reaches_a_side_state(flow_from: FlowFrom) -> None:
    """Not even its own."""
    flow = flow_from("keys: {inputs: source, state: carried}\nvalues: {inputs: keys, state: side}")

    assert gap(flow, "values", keys=ASYNC, values=ASYNC) == inf
    assert least_gaps(flow) == {0: 1, 1: inf}


def test_modes_that_do_not_wait_cover_as_well_as_those_that_do(flow_from: FlowFrom) -> None:
    """The graph is let go when it is scheduled; `every:K` schedules on every K-th message."""
    flow = flow_from("a: {inputs: source, state: carried}\nb: {inputs: a}")

    assert [gap(flow, "a", b=mode) for mode in (ASYNC, window(9), every(9), OFF)] == [1, 1, 9, inf]


BOUNDARIES = [
    ("{backend: host, inputs: a}", 1),
    ("{backend: host, inputs: {node: a, leaky: true}}", inf),
    ("{backend: host, inputs: {node: a, lag: 2}}", 3),
    ("{inputs: a, process: p}", 1),
    ("{inputs: {node: a, leaky: true}, process: p}", 1),
    ("{inputs: a, forces: always}", 1),
    ("{inputs: a, forces: on-emit, emits: {every: 7}}", 7),
    ("{inputs: a, forces: on-emit, emits: {probability: 0.5}}", inf),
    ("{inputs: a, thread: t}", inf),
    ("{inputs: a}", inf),
]


@pytest.mark.parametrize(("reader", "expected"), BOUNDARIES)
def test_boundaries_evaluate_what_they_read(flow_from: FlowFrom, reader: str, expected: float) -> None:
    """To another process the sender pays even for what the reader drops; inside a process a dropped one is not read."""
    flow = flow_from(f"a: {{inputs: source, state: carried}}\nb: {reader}")

    assert gap(flow, "a") == expected


def test_a_reader_that_waits_for_a_partner_reads_as_seldom(flow_from: FlowFrom) -> None:
    """What it joins with comes on every fourth message."""
    flow = flow_from(
        "a: {inputs: source, state: carried}\nb: {inputs: source, emits: {every: 4}}\n"
        "c: {backend: host, inputs: [a, b]}"
    )

    assert gap(flow, "a") == 4


LAGS = [
    ("b: {inputs: [source, {node: a, lag: 2}]}", 3),
    ("b: {inputs: [source, {node: a, lag: 2, leaky: true}]}", inf),
    ("c: {inputs: [source, {node: a, lag: 2}]}\nb: {inputs: [c, {node: c, lag: 1}]}", 3),
    ("c: {inputs: [source, {node: a, lag: 2}]}\nb: {inputs: [source, {node: c, lag: 1}]}", 4),
]


@pytest.mark.parametrize(("nodes", "expected"), LAGS)
def test_what_reads_an_earlier_message_evaluates_later(flow_from: FlowFrom, nodes: str, expected: float) -> None:
    """By as many messages as the value is old, on the shortest way."""
    flow = flow_from(f"a: {{inputs: source, state: carried}}\n{nodes}")

    assert gap(flow, "a", b=ASYNC) == expected


def test_feedback_is_evaluated_one_message_later_from_its_other_end(flow_from: FlowFrom) -> None:
    """What `first` is made of on the next message is what `last` gave on this one."""
    flow = flow_from("first: {inputs: [source, {node: last, lag: 1}]}\nlast: {inputs: first}")

    assert [gap(flow, "last", **{name: ASYNC}) for name in ("first", "last")] == [2, 1]
    assert gap(flow, "last") == inf


def test_a_state_waits_for_no_more_than_its_own_output(flow_from: FlowFrom) -> None:
    """A node that gives output on every seventh message is at best evaluated on every seventh."""
    flow = flow_from("a: {inputs: source, state: carried, emits: {every: 7}}\nb: {inputs: [source, {node: a, lag: 1}]}")

    assert least_gaps(flow) == {0: 7}
    assert gap(flow, "a", b=ASYNC) == 8


def test_those_that_evaluate_a_state_come_with_the_most_frequent_first(flow_from: FlowFrom) -> None:
    """Each with the messages it takes to reach this state."""
    flow = flow_from(
        "a: {inputs: source, state: carried}\nb: {inputs: a, emits: {every: 4}}\n"
        "c: {inputs: [source, {node: a, lag: 1}]}\nd: {inputs: source}"
    )
    found = cover(flow, dict.fromkeys("abcd", ASYNC)).of(flow, 0)

    assert [(flow.nodes[each.node].name, each.silence) for each in found] == [("a", 1), ("c", 2), ("b", 4)]


def test_pending_is_what_nothing_evaluates_more_often(flow_from: FlowFrom) -> None:
    """A state behind a withholding node collects the work since the last point before it."""
    flow = flow_from(
        "a: {inputs: source}\nb: {inputs: a}\nc: {inputs: b, state: carried}\nd: {inputs: c, emits: {every: 5}}"
    )
    found = cover(flow, placed(flow, a=ASYNC, d=ASYNC))

    assert uncovered(flow, found, 2) == (1, 2)


def always_there(document: dict[str, Any], data: st.DataObject) -> dict[str, Any]:
    """The same graph in one process, with every output on every message, more states, and no lag beyond 3."""
    for node in document["nodes"].values():
        for key in ("emits", "process", "op", "params"):
            node.pop(key, None)
        if node.get("backend") != "host" and "state" not in node:
            node["state"] = data.draw(st.sampled_from(["none", "carried"]))
        for edge in node["inputs"]:
            if isinstance(edge, dict) and "lag" in edge:
                edge["lag"] = min(edge["lag"], 3)
    return document


def waits(flow: Flow, points: Mapping[str, Mode]) -> dict[int, float]:
    """How long each state waits for an evaluation at worst, message by message; infinite beyond the end."""
    messages = 40
    every_read = [(link.sender, link.lag) for link in flow.links if flow.reads_values(link) and not link.leaky]
    every_read += [(node.number, 0) for node in flow.mlx_nodes if points[node.name].submits]
    worst = dict.fromkeys((node.number for node in flow.stateful), 0.0)
    for number in worst:
        later = {(number, 0)}  # (node, messages later): what depends on the state, itself carried on
        for _ in range(len(flow.nodes) + 8):
            later |= {(number, late + 1) for at, late in later if at == number and late < messages}
            later |= {
                (link.reader, late + link.lag)
                for link in flow.links
                for at, late in later
                if at == link.sender and flow.passes_on(link) and not link.leaky and late + link.lag < messages
            }
        worst[number] = min(
            (late + lag + 1.0 for at, lag in every_read for node, late in later if node == at), default=inf
        )
    return worst


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_gaps_are_those_of_message_after_message(documents: Documents, data: st.DataObject) -> None:
    """Where no node withholds and no process boundary hides a leaky reader."""
    flow = flow_of(graph_of(always_there(data.draw(documents(5)), data)))
    points = {node.name: data.draw(st.sampled_from([OFF, ASYNC])) for node in flow.mlx_nodes}

    found = cover(flow, points).gaps

    assert found == {
        n: inf if flow.nodes[n].node.state == "side" else worst for n, worst in waits(flow, points).items()
    }


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_point_more_never_makes_a_gap_longer(documents: Documents, data: st.DataObject) -> None:
    """And with a point everywhere no gap is longer than the silence of the node itself."""
    flow = flow_of(graph_of(data.draw(documents(6))))
    if not flow.mlx_nodes:
        return
    fewer = {node.name: data.draw(st.sampled_from([OFF, ASYNC, every(3)])) for node in flow.mlx_nodes}
    more = fewer | {data.draw(st.sampled_from(sorted(fewer))): ASYNC}

    before, after, least = cover(flow, fewer).gaps, cover(flow, more).gaps, least_gaps(flow)

    assert all(after[number] <= before[number] for number in before)
    assert all(least[n] in {inf, flow.nodes[n].silence} and least[n] <= after[n] for n in after)


def test_reads_are_there_whatever_the_points(flow_from: FlowFrom) -> None:
    """They have no mode, and know their reader."""
    flow = flow_from("a: {inputs: source}\nb: {backend: host, inputs: a}")

    assert [(each.node, each.mode, each.reader) for each in reads(flow)] == [(0, None, 1)]
