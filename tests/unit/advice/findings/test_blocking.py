"""PL204 and PL205: a wait where none is needed, and overlap that is given away."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from placement_cli.advice.advice import Finding

Told = Callable[[str, str], Sequence[Finding]]


def decode(build: str, device: str, extra: str = "") -> str:
    """A token loop that waits for every step."""
    return f"""
    source: {{shape: [1, 1], dtype: int32, kind: loop, messages: 256}}
    nodes:
      forward: {{inputs: source, state: carried, costs: {{build: {build}, device: {device}}}}}
      token: {{inputs: forward, evaluate: sync, costs: {{build: 0 us, device: 0 us}}{extra}}}
    """


def test_a_wait_on_every_step_gives_away_the_building_of_the_next(told: Told) -> None:
    """The fix is what the advice takes; the numbers are host time before and after."""
    (found,) = told("PL204", decode("2 ms", "10 ms"))
    assert found.node == "token"
    assert found.fix == "Use window:1 at token."
    assert found.evidence["host_then_s"] == pytest.approx(10e-3, rel=0.01)
    assert float(found.evidence["host_s"]) > 12e-3


@pytest.mark.parametrize("graph", [decode("0 us", "100 ms"), decode("2 ms", "10 ms", ", pinned: true")])
def test_a_wait_that_costs_nothing_or_is_wanted_is_no_finding(told: Told, graph: str) -> None:
    """A round trip beside 100 ms, and a point that is there for another reason."""
    assert not told("PL204", graph)


def test_a_wait_that_the_latency_limit_needs_stays(told: Told) -> None:
    """With a window the values of a message come a period late."""
    graph = """
    source: {shape: [10, 64], rate: 1000}
    limits: {latency: 0.9 ms}
    nodes:
      detect: {inputs: source, evaluate: sync, costs: {build: 0.1 ms, device: 0.5 ms, ops: 1}}
      act: {backend: host, inputs: {node: detect, lag: 1}, costs: {host: 0.1 ms}}
    """
    found = told("PL204", graph)
    assert not [each for each in found if "window" in each.fix]


WORK = "evaluate: sync, costs: {build: 20 us, ops: 2, device: 400 us, output: 16 KiB}"


def test_the_waits_of_copies_are_one_finding(told: Told) -> None:
    """One change of the document for all of them."""
    graph = "source: {shape: [64, 64], kind: replay}\nnodes:\n  layer: {inputs: source, repeat: 60, " + WORK + "}\n"
    (found,) = told("PL204", graph)
    assert found.node == "layer"
    assert "layer (60 copies)" in found.says


def test_waits_that_matter_only_together_are_one_finding(told: Told) -> None:
    """Each of 60 waits is less than a hundredth of the time."""
    rows = [f"  n{at}: {{inputs: {f'n{at - 1}' if at else 'source'}, {WORK}}}\n" for at in range(60)]
    (found,) = told("PL204", "source: {shape: [64, 64], kind: replay}\nnodes:\n" + "".join(rows))
    assert found.node == "n59"
    assert "n0, n1, n2, n3 and 56 more" in found.says


def deferred(work: str, mode: str = "'off'") -> str:
    """A segment that is computed when its values are read, after host work."""
    return f"""
    source: {{shape: [1024, 2048], kind: replay, messages: 400}}
    nodes:
      work: {{inputs: source, evaluate: {mode}, costs: {{ops: 3, device: 1.3 ms, output: 8 MiB}}}}
      other: {{backend: host, inputs: source, costs: {{host: {work}}}}}
      sink: {{backend: host, inputs: [work, other], costs: {{host: 0 us}}}}
    """


def test_evaluation_that_waits_for_the_read_gives_away_overlap(told: Told) -> None:
    """With 2 ms of host work all of the device time is hidden."""
    (found,) = told("PL205", deferred("2 ms"))
    assert found.node == "work"
    gain = float(found.evidence["host_s"]) / float(found.evidence["host_async_s"])
    assert 1.5 < gain < 1.8


@pytest.mark.parametrize("graph", [deferred("0 us"), deferred("2 ms", "async")])
def test_with_nothing_to_overlap_or_submitted_already_it_is_right(told: Told, graph: str) -> None:
    """The gain is overlap and nothing else."""
    assert not told("PL205", graph)
