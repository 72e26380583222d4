"""PL401 to PL405: what placement cannot win, and what surrounds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from placement_cli.advice.advice import Advice, Finding
from placement_cli.advice.findings.facts import BlockGain

Told = Callable[[str, str], Sequence[Finding]]
REPLAY = "source: {shape: [%s], kind: replay, messages: 100}\nnodes:\n"


def read(node: str, shape: str = "64, 64") -> str:
    """A node whose values the host reads."""
    return REPLAY % shape + f"  work: {{inputs: source, {node}}}\n  sink: {{op: values, inputs: work}}\n"


@pytest.mark.parametrize(
    "graph",
    [
        read("costs: {ops: 30, output: 8 B}", "1, 2"),
        read("costs: {ops: 1, output: 2400 B}", "600, 600"),
        read("op: affine, costs: {device: 0.9 ms}", "512, 512"),
    ],
    ids=["thirty ops on two numbers", "column sum", "small product"],
)
def test_small_work_that_is_read_is_faster_on_the_host(told: Told, graph: str) -> None:
    """The estimate is well below the way over the device."""
    (found,) = told("PL401", graph)
    assert (found.node, found.severity) == ("work", "note")
    assert float(found.evidence["host_estimate_s"]) < 0.5 * float(found.evidence["device_way_s"])


@pytest.mark.parametrize(
    "graph",
    [
        read("op: affine, costs: {device: 19 ms}", "2048, 2048"),
        read("costs: {ops: 800, device: 56 ms, output: 2 KiB}"),
        read("costs: {device: 10 us}"),
        REPLAY % "1, 2" + "  work: {inputs: source, evaluate: async, costs: {ops: 30, output: 8 B}}\n",
    ],
    ids=["large product", "a model", "unknown work", "not read"],
)
def test_work_that_is_large_unknown_or_not_read_stays(told: Told, graph: str) -> None:
    """Without an operator the device's own time is the least that the host would take."""
    assert not told("PL401", graph)


def processes(count: int) -> str:
    """A chain through so many processes."""
    rows = [
        f"  n{at}: {{op: abs, inputs: {f'n{at - 1}' if at else 'source'}, process: p{at}}}\n" for at in range(count)
    ]
    return "source: {shape: [30, 64], rate: 50}\nnodes:\n" + "".join(rows)


def test_hops_are_counted_by_boundary(told: Told) -> None:
    """A single one is nobody's bottleneck."""
    (found,) = told("PL402", processes(4))
    assert found.evidence["hops"] == 3
    assert not told("PL402", processes(2))


def rare(rate: str, more: str = "") -> str:
    """A live source of 56 ms of work."""
    work = f"{{inputs: source, evaluate: sync, costs: {{device: 56 ms, ops: 800{more}}}}}"
    return f"source: {{shape: [1, 64], rate: {rate}}}\nnodes:\n  work: {work}\n"


def test_a_device_that_idles_long_is_slower_than_measured(told: Told) -> None:
    """At one message every two seconds; not at four a second, unless it is stated."""
    (found,) = told("PL403", rare("0.5"))
    assert found.evidence["idle_s"] == pytest.approx(1.94, abs=0.01)
    assert not told("PL403", rare("4"))
    (stated,) = told("PL403", rare("4", ", device_after_idle: 90 ms"))
    assert stated.node == "work"


def test_blocks_that_are_worth_it_are_told(advised: Callable[..., Advice]) -> None:
    """From a fifth on."""
    graph = REPLAY % "256, 64" + "  a: {inputs: source, evaluate: async}\n  b: {inputs: a, evaluate: async}\n"
    gains = {"a": BlockGain(6.9, "batch", "costs of a test."), "b": BlockGain(1.1, "runs", "costs of a test.")}
    found = [each for each in advised(graph, gains).findings if each.code == "PL404"]
    assert [(each.node, each.evidence["gain"]) for each in found] == [("a", 6.9)]
    assert found[0].says.endswith("(costs of a test).")


def live(costs: str) -> str:
    """A live source with values due in 80 ms."""
    work = f"{{inputs: source, evaluate: sync, costs: {costs}}}"
    return f"source: {{shape: [1920, 1], rate: 12.5}}\nnodes:\n  work: {work}\n"


@pytest.mark.parametrize("costs", ["{device: 10 ms, kernels: 900}", "{device: 45 ms}"])
def test_many_kernels_are_met_for_the_first_time_when_values_are_due(told: Told, costs: str) -> None:
    """Where nobody counts them, long work has many."""
    (found,) = told("PL405", live(costs))
    assert float(found.evidence["first_message_s"]) > 0.08


def test_few_kernels_are_compiled_in_time(told: Told) -> None:
    """A few times ten milliseconds fit; and a replay has nobody waiting."""
    assert not told("PL405", live("{device: 3 ms, kernels: 5}"))
    assert not told("PL405", live("{device: 45 ms}").replace("rate: 12.5", "kind: replay, messages: 9"))
