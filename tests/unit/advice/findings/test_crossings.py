"""PL301, PL302 and PL303: what submissions may meet on their way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from ruamel.yaml import YAML

from placement_cli.advice.advice import Finding
from placement_cli.advice.advising import advise
from placement_cli.advice.machine import Machine
from placement_cli.graph.document.reading import graph_of

Told = Callable[[str, str], Sequence[Finding]]


def two(first: str, second: str, head: str = "") -> str:
    """A producer and a consumer in two places."""
    return (
        f"source: {{shape: [64, 64], kind: replay, messages: 50}}\n{head}nodes:\n"
        f"  make: {{inputs: source, {first}, costs: {{device: 3 ms}}}}\n"
        f"  take: {{inputs: make, {second}, evaluate: async, costs: {{device: 1 ms}}}}\n"
    )


@pytest.mark.parametrize(("first", "second"), [("stream: a", "stream: b"), ("device: cpu", "device: gpu")])
def test_a_reader_in_another_place_is_named(told: Told, first: str, second: str) -> None:
    """With the device time that it waits for."""
    (found,) = told("PL301", two(first, second))
    assert found.node == "take"
    assert found.evidence["device_s"] == pytest.approx(3e-3)


@pytest.mark.parametrize(("first", "second"), [("stream: a", "stream: a"), ("device: gpu", "state: none")])
def test_the_same_place_by_another_name_is_no_crossing(told: Told, first: str, second: str) -> None:
    """A node that names no device runs on that of the graph."""
    assert not told("PL301", two(first, second))


@pytest.mark.parametrize(("version", "blocks"), [("", True), ("mlx: 0.31.2", True), ("mlx: 0.32.4", False)])
def test_on_cuda_async_across_streams_blocks_in_builds_that_do_so(metal: Machine, version: str, blocks: bool) -> None:
    """The fix came with 0.32.4; of a version that is not stated nothing is taken for granted."""
    text = two("stream: a", "stream: b", f"platform: {{gpu: cuda{', ' + version if version else ''}}}\n")
    graph = graph_of({"version": 1, **YAML(typ="safe").load(text)})
    (found,) = [each for each in advise(graph, replace(metal, kind="cuda")).findings if each.code == "PL301"]
    assert ("async_eval itself blocks" in found.says) == blocks


def test_a_lazy_array_for_another_thread_is_an_error(told: Told) -> None:
    """The sender is named: there the point belongs."""
    (found,) = told("PL302", two("thread: a", "thread: b"))
    assert (found.node, found.severity) == ("make", "error")


@pytest.mark.parametrize("point", ["async", "sync", '"window:2"'])
def test_an_evaluated_array_may_go_to_another_thread(told: Told, point: str) -> None:
    """Any point that runs on every message will do."""
    assert not told("PL302", two(f"thread: a, evaluate: {point}", "thread: b"))


def test_before_streams_belonged_to_threads_it_was_a_race(told: Told) -> None:
    """MLX 0.31.1 and before."""
    (found,) = told("PL302", two("thread: a", "thread: b", "platform: {gpu: metal, mlx: 0.31.1}\n"))
    assert found.severity == "warning"


def one(device: str, more: str = "", head: str = "kind: replay, messages: 9") -> str:
    """A single submission of so much device time."""
    known = f"{{device: {device}{more}, output: 1 KiB}}"
    return f"source: {{shape: [64, 64], {head}}}\nnodes:\n  work: {{inputs: source, evaluate: async, costs: {known}}}\n"


def test_work_in_one_piece_for_seconds_is_in_danger(told: Told) -> None:
    """A watchdog looks at pieces of work, and MLX cuts them by ops where there are many."""
    (found,) = told("PL303", one("6 s"))
    assert found.severity == "warning"
    assert found.evidence["longest_s"] == pytest.approx(6.0)
    assert not told("PL303", one("1.5 s"))
    assert not told("PL303", one("6 s", ", ops: 3000"))


def test_a_submission_longer_than_the_limit_is_late(told: Told) -> None:
    """Splitting helps only where the device keeps up at all."""
    (late,) = told("PL303", one("30 ms", head="rate: 10") + "limits: {latency: 20 ms}\n")
    assert late.severity == "error"
    assert late.fix.startswith("Split it")
    (slow,) = told("PL303", one("150 ms", head="rate: 10"))
    assert "no placement changes that" in slow.fix
    assert not told("PL303", one("30 ms", head="rate: 10"))
