"""What a placement must satisfy before its costs count."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.advice.cover import cover, least_gaps
from placement_cli.advice.feasible import Bounds, bounds_of, demands, met, unmet, violations, within
from placement_cli.advice.flow import Flow, flow_of
from placement_cli.advice.loads import loads_of
from placement_cli.advice.machine import Machine
from placement_cli.advice.playing import Outcome, Stage
from placement_cli.graph.document.reading import graph_of
from placement_cli.graph.graph import Graph
from placement_cli.graph.mode import ASYNC, OFF, Mode, every, window
from placement_cli.timeline.schedule import Batch

FlowFrom = Callable[..., Flow]
GraphFrom = Callable[..., Graph]
Documents = Callable[[int], st.SearchStrategy[dict[str, Any]]]
NONE = Bounds(None, None, None, 1)


def rows(flow: Flow, machine: Machine, *placements: dict[str, Mode]) -> Batch:
    """Placements of a graph: no points but those given."""
    stage = Stage(flow, loads_of(flow, machine), machine)
    return stage.batch([{name: each.get(name, OFF) for name in stage.names} for each in placements])


def reasons(flow: Flow, machine: Machine, **modes: Mode) -> list[str]:
    """What a placement leaves unevaluated."""
    return list(unmet(demands(flow), rows(flow, machine, modes), 0))


def test_a_live_source_is_followed_within_its_period(graph_from: GraphFrom) -> None:
    """Other sources are not late; what is stated counts."""
    nodes = "a: {inputs: source}"
    live = graph_from(nodes, "{shape: [1, 1], rate: 50}")
    replay = graph_from(nodes, "{shape: [1, 1], rate: 50, kind: replay}")
    stated = graph_from(nodes, "{shape: [1, 1], rate: 50}", limits="{latency: 5 ms, memory: 1 KiB, buffers: 7}")

    assert bounds_of(live, 99) == Bounds(0.02, 0.02, None, 99)
    assert bounds_of(replay, 99) == Bounds(0.02, None, None, 99)
    assert bounds_of(stated, 99) == Bounds(0.02, 0.005, 1024, 7)


NEEDED = [
    ("a: {inputs: source, state: carried}\nb: {inputs: a}", {"a": ASYNC}, ["nothing evaluates b"]),
    ("a: {inputs: source, state: carried}\nb: {inputs: a}", {}, ["the state of a grows", "nothing evaluates b"]),
    ("a: {inputs: source, state: carried}\nb: {inputs: a}", {"b": every(9)}, []),
    ("a: {inputs: source, state: carried}\nb: {backend: host, inputs: a}", {}, []),
    (
        "a: {inputs: source, state: carried}\nb: {backend: host, inputs: {node: a, leaky: true}}",
        {},
        ["the state of a grows"],
    ),
    (
        "a: {inputs: source, state: carried}\nb: {inputs: a, emits: {every: 50}}\nc: {backend: host, inputs: b}",
        {},
        ["the state of a is evaluated more seldom than it could be"],
    ),
    (
        "a: {inputs: source, state: carried}\nb: {inputs: a, emits: {every: 50}}",
        {"b": ASYNC},
        ["the state of a is evaluated more seldom than it could be"],
    ),
    (
        "a: {inputs: source, state: carried}\nb: {inputs: a, emits: {probability: 0.5}}\nc: {backend: host, inputs: b}",
        {},
        ["the state of a grows"],
    ),
    ("a: {inputs: source, emits: {probability: 0.5}, state: carried}\nb: {backend: host, inputs: a}", {}, []),
    ("a: {inputs: source, emits: {probability: 0.5}, state: carried}", {}, ["the state of a grows"]),
    ("a: {inputs: source, state: side}", {}, []),
    ("a: {inputs: source, forces: always}", {}, []),
    ("a: {inputs: source}\nb: {inputs: source}\nc: {inputs: [a, b]}", {}, ["nothing evaluates c"]),
    ("a: {inputs: source}\nb: {inputs: [source, {node: a, lag: 1}]}", {"b": ASYNC}, []),
    (
        "a: {inputs: [source, {node: a, lag: 1}]}\nb: {backend: host, inputs: {node: a, leaky: true}}",
        {},
        ["the state of a grows"],
    ),
    (
        "a: {inputs: source}\nb: {backend: host, inputs: a, thread: t}",
        {},
        ["the lazy output of a goes to another thread"],
    ),
    (
        "a: {inputs: source}\nb: {backend: host, inputs: a, thread: t}",
        {"a": every(2)},
        ["the lazy output of a goes to another thread"],
    ),
    ("a: {inputs: source}\nb: {backend: host, inputs: a, thread: t}", {"a": every(1)}, []),
    ("a: {inputs: source}\nb: {backend: host, inputs: a, thread: t}", {"a": window(3)}, []),
]


@pytest.mark.parametrize(("nodes", "modes", "says"), NEEDED)
def test_what_grows_or_is_never_computed_is_said(
    flow_from: FlowFrom, simple: Machine, nodes: str, modes: dict[str, Mode], says: list[str]
) -> None:
    """States, results that nothing reads, lazy arrays in another thread."""
    flow = flow_from(nodes)
    found = reasons(flow, simple, **modes)

    assert found == says
    assert met(demands(flow), rows(flow, simple, modes)).tolist() == [not says]


def test_a_single_pass_needs_no_point(flow_from: FlowFrom, simple: Machine) -> None:
    """Its values are asked for at the end."""
    assert not demands(flow_from("a: {inputs: source, state: carried}", "{shape: [1, 1], kind: once}"))


@settings(deadline=None, max_examples=80)
@given(st.data())
def test_what_meets_all_demands_lets_nothing_grow(documents: Documents, simple: Machine, data: st.DataObject) -> None:
    """As far as anything can be done about it; and a point everywhere meets them."""
    flow = flow_of(graph_of(data.draw(documents(6))))
    if not flow.mlx_nodes:
        return
    modes = {node.name: data.draw(st.sampled_from([OFF, ASYNC])) for node in flow.mlx_nodes}
    batch = rows(flow, simple, modes, dict.fromkeys(modes, ASYNC))
    needed, least = demands(flow), least_gaps(flow)

    some, all_ = met(needed, batch).tolist()
    gaps = cover(flow, modes).gaps

    assert all_
    assert all(gap <= least[number] for number, gap in gaps.items()) or not some
    assert not any(least[n] < inf == gap for n, gap in gaps.items()) or any(
        "grows" in why for why in unmet(needed, batch, 0)
    )


def outcome(**known: float) -> Outcome:
    """An outcome of one placement."""
    return Outcome(**{name: np.array([known.get(name, 0.0)]) for name in Outcome.__dataclass_fields__})


LIMITS = [
    (Bounds(1e-3, None, None, 1), {"period_s": 2e-3}, 0, "It needs 2.00 ms for a message that comes every 1.00 ms."),
    (Bounds(1e-3, None, None, 1), {"busiest_s": 2e-3}, 0, "It needs 2.00 ms for a message that comes every 1.00 ms."),
    (Bounds(None, 1e-3, None, 1), {"latency_p90_s": 2e-3}, 0, "Values come after 2.00 ms; the limit is 1.00 ms."),
    (Bounds(None, None, 1024, 1), {}, 2048, "2.00 KiB are in flight; the limit is 1.00 KiB."),
    (Bounds(1e-3, 1e-3, 2048, 1), {"period_s": 1e-3, "latency_p90_s": 1e-3}, 2048, ""),
    (NONE, {"period_s": 1e9, "latency_p90_s": 1e9}, 1 << 60, ""),
]


@pytest.mark.parametrize(("bounds", "known", "memory", "says"), LIMITS)
def test_limits_are_kept_up_to_themselves(
    flow_from: FlowFrom, simple: Machine, bounds: Bounds, known: dict[str, float], memory: int, says: str
) -> None:
    """And what is beyond them is said in numbers."""
    batch = rows(flow_from("a: {inputs: source}"), simple, {})
    found = violations(batch, 0, outcome(**known), float(memory), (), bounds)

    assert list(found) == ([says] if says else [])
    assert within(outcome(**known), np.array([float(memory)]), bounds).tolist() == [not says]


def test_what_is_not_evaluated_is_a_sentence_too(flow_from: FlowFrom, simple: Machine) -> None:
    """Which begins with a capital letter."""
    flow = flow_from("a: {inputs: source, state: carried}")

    assert violations(rows(flow, simple, {}), 0, outcome(), 0.0, demands(flow), NONE) == ("The state of a grows.",)
