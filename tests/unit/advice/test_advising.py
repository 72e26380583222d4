"""The whole advice for a graph."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise

import pytest

from placement_cli.advice.advice import Advice
from placement_cli.advice.advising import MOST_PARETO, RULES, advise
from placement_cli.advice.findings.facts import BlockGain
from placement_cli.advice.machine import Machine
from placement_cli.graph.graph import Graph
from placement_cli.graph.mode import ASYNC, OFF, SYNC

GraphFrom = Callable[..., Graph]
CHAIN = """
a: {inputs: source, evaluate: async, costs: {build: 20 us, device: 30 us, output: 1 KiB}}
b: {inputs: a, evaluate: async, costs: {build: 20 us, device: 30 us, output: 1 KiB}}
c: {inputs: b, evaluate: sync, costs: {build: 20 us, device: 30 us, output: 1 KiB}}
"""
"""A point at every node and a wait at the last; with one ASYNC there the host is held for 60 + 20 + 2 us."""
WORKING = tuple(name for name in RULES if name != "off")
"""The rules under which the work of that chain is done."""


@pytest.fixture
def chain(graph_from: GraphFrom, simple: Machine) -> Advice:
    """The advice for a chain with too many points."""
    return advise(graph_from(CHAIN), simple, pareto=True, runners_up=True)


def test_the_advice_is_one_of_its_alternatives(chain: Advice) -> None:
    """Today's first, then the usual rules but none that leaves the work undone, the runners-up last."""
    assert [each.name for each in chain.alternatives] == [*WORKING, "second", "third"]
    assert chain.placement == {"a": OFF, "b": OFF, "c": ASYNC} == chain.alternatives[1].placement
    assert chain.current == {"a": ASYNC, "b": ASYNC, "c": SYNC} == chain.alternatives[0].placement
    assert chain.changes() == [("a", ASYNC, OFF), ("b", ASYNC, OFF), ("c", SYNC, ASYNC)]


def test_its_numbers_are_those_of_the_timeline(chain: Advice, simple: Machine) -> None:
    """With intervals of the model's error around them."""
    now, advised = chain.alternatives[0].predicted, chain.predicted

    assert advised.host_s.value == pytest.approx(82e-6)
    assert now.host_s.value == pytest.approx((60 + 60 + 2 + 30 + 100) * 1e-6, rel=0.2)
    assert chain.alternatives[1].ratio.value == pytest.approx(advised.period_s.value / now.period_s.value)
    assert chain.alternatives[0].ratio.value == chain.alternatives[0].ratio.low == 1.0
    assert advised.host_s.high / advised.host_s.value == pytest.approx(1 + simple.time_error)
    assert advised.device_busy.high <= 1.0


def test_runners_up_are_others_and_feasible(graph_from: GraphFrom, chain: Advice, simple: Machine) -> None:
    """The next best ones, each once; they are there only when asked for."""
    placements = [tuple(map(str, each.placement.values())) for each in chain.alternatives]

    assert len(set(placements[-3:])) == 3
    assert not any(each.violates for each in chain.alternatives[-2:])
    assert [each.name for each in advise(graph_from(CHAIN), simple).alternatives] == [*WORKING]


def test_what_none_of_the_rules_is_has_a_name_of_its_own(graph_from: GraphFrom, simple: Machine) -> None:
    """So that it can be measured by it."""
    nodes = (
        "a: {inputs: source, state: carried}\nb: {inputs: a, emits: {every: 9}}\n"
        "c: {backend: host, inputs: b, costs: {host: 1 ms}}"
    )
    advice = advise(graph_from(nodes), simple)

    assert advice.alternatives[-1].name == "advised"
    assert advice.alternatives[-1].placement == advice.placement == {"a": ASYNC, "b": OFF}


def test_no_member_of_the_pareto_set_beats_another(chain: Advice) -> None:
    """In host time, latency and memory at once; the least host time comes first."""
    values = [
        (each.predicted.host_s.value, each.predicted.latency_s.value, each.predicted.in_flight_bytes.value)
        for each in chain.pareto
    ]

    assert 0 < len(values) <= MOST_PARETO
    assert all(one[0] <= other[0] * 1.01 for one, other in pairwise(values))
    assert not any(
        all(x <= y * 0.98 for x, y in zip(one, other, strict=True))
        for one in values
        for other in values
        if one != other
    )
    assert [each.name for each in chain.pareto] == [f"pareto-{place}" for place in range(1, len(values) + 1)]


def test_what_breaks_a_limit_says_so(graph_from: GraphFrom, simple: Machine) -> None:
    """And where all do, the verdict."""
    advice = advise(graph_from("a: {inputs: source, costs: {device: 30 ms}}", "{shape: [1, 1], rate: 100}"), simple)

    assert all(each.violates for each in advice.alternatives)
    assert "30.0 ms" in advice.alternatives[1].violates[0]
    assert advice.verdict.startswith("No placement keeps all limits")


def test_a_graph_without_mlx_has_nothing_to_place(graph_from: GraphFrom, simple: Machine) -> None:
    """And says that."""
    advice = advise(graph_from("a: {backend: host, inputs: source, costs: {host: 1 ms}}"), simple, pareto=True)

    assert advice.placement == {}
    assert advice.verdict == "Nothing here computes with MLX: there is nothing to place."


def test_confidence_is_that_of_the_profile(graph_from: GraphFrom, metal: Machine, cpu: Machine) -> None:
    """Whatever the graph."""
    graph = graph_from("a: {op: abs, inputs: source}")

    assert [advise(graph, machine).confidence for machine in (metal, cpu)] == ["published", "assumed"]


def test_block_structure_becomes_a_finding(graph_from: GraphFrom, simple: Machine) -> None:
    """It is worked out elsewhere: matrices are files."""
    graph = graph_from("a: {inputs: source}")
    advice = advise(graph, simple, blocks={"a": BlockGain(3.0, "8 blocks in a loop", "predicted")})

    assert "PL404" in {each.code for each in advice.findings}
    assert "PL404" not in {each.code for each in advise(graph, simple).findings}


def test_the_worst_findings_come_first(graph_from: GraphFrom, metal: Machine) -> None:
    """Errors, then warnings, then notes."""
    nodes = (
        "a: {op: sosfilt, inputs: source, evaluate: sync}\nb: {op: ewm_scaler, inputs: a}\n"
        "c: {inputs: source, forces: always}\nd: {inputs: [source, c], evaluate: async}"
    )
    severities = [each.severity for each in advise(graph_from(nodes), metal).findings]

    assert severities == sorted(severities, key=["error", "warning", "note"].index)
    assert severities[0] == "error"


SCRIPT = """
from placement_cli.advice.advice import ProfileUse
from placement_cli.advice.advising import advise
from placement_cli.advice.machine import machine_of
from placement_cli.graph.document.reading import parse_graph
from placement_cli.profile.defaults import PUBLISHED, shipped_profile

profile = shipped_profile(PUBLISHED)
machine = machine_of(profile, "metal", ProfileUse("p", "published", "w", "p"))
nodes = "".join(
    f"  n{i}: {{inputs: [n{i - 1}, n{i // 2}], state: {'carried' if i % 3 else 'side'}, process: p{i % 3}, "
    f"evaluate: {'sync' if i % 4 else 'async'}, emits: {{every: {1 + i % 2}}}}}\\n" for i in range(1, 18)
)
head = "version: 1\\nsource: {shape: [30, 256], rate: 50}\\nlimits: {memory: 10 MiB}\\n"
graph = parse_graph(head + "nodes:\\n  n0: {inputs: source}\\n" + nodes, "f").graph
print(repr(advise(graph, machine, pareto=True, runners_up=True)))
"""


def test_advice_is_the_same_in_every_process() -> None:
    """However Python hashes texts there."""
    told = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(told) == 1
    assert "Advice(" in told.pop()


def test_what_a_pinned_point_leaves_open_excuses_nothing_else(graph_from: GraphFrom, simple: Machine) -> None:
    """An output handed on lazily cannot be mended here; the state after it is evaluated all the same."""
    nodes = (
        "a: {inputs: source, state: carried, evaluate: 'every:2', pinned: true}\n"
        "b: {inputs: a, state: carried, thread: other}"
    )
    advice = advise(graph_from(nodes), simple)
    advised = next(each for each in advice.alternatives if each.placement == advice.placement)

    assert advice.placement["b"].submits
    assert [says for says in advised.violates if "b" in says.split()] == []
    assert advised.violates


def test_an_advice_without_a_point_is_among_the_alternatives(graph_from: GraphFrom, simple: Machine) -> None:
    """Also where no placement at all mends what is wrong."""
    nodes = "a: {inputs: source, emits: {probability: 0.5}, state: side}\nb: {backend: host, inputs: a}"
    advice = advise(graph_from(nodes), simple)

    assert [each.name for each in advice.alternatives if each.placement == advice.placement]
