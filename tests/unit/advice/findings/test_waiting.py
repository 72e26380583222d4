"""PL203 and PL207: places where the host stands although nobody asked it to wait."""

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


def layers(forces: str, repeat: int = 1) -> str:
    """A loop with nodes that look at their input."""
    return f"""
    source: {{shape: [1, 1024], kind: loop, messages: 200}}
    nodes:
      step: {{inputs: source, state: carried, costs: {{build: 2 ms, device: 5 ms}}}}
      look: {{inputs: step, repeat: {repeat}, forces: {forces}, costs: {{build: 30 us, device: 80 us}}}}
      token: {{inputs: look, evaluate: async, costs: {{build: 10 us, device: 20 us}}}}
    """


def test_a_read_in_the_middle_is_told_with_what_it_costs(told: Told) -> None:
    """Without it the host would build the next step meanwhile."""
    (found,) = told("PL203", layers("always"))
    assert (found.node, found.severity) == ("look", "warning")
    assert float(found.evidence["gain"]) > 1.3
    assert float(found.evidence["waited_s"]) > 4e-3


def test_the_copies_of_a_reading_node_are_one_finding(told: Told) -> None:
    """24 layers that read are one thing to change."""
    (found,) = told("PL203", layers("always", 24))
    assert "look (24 copies) read values" in found.says


def test_nodes_that_do_not_read_are_no_finding(told: Told) -> None:
    """Nor is a node that reads what the host has anyway."""
    assert not told("PL203", layers("never"))
    assert not told(
        "PL203", "source: {shape: [1, 1], rate: 10}\nnodes:\n  a: {inputs: source, forces: always, evaluate: async}\n"
    )


def test_where_the_read_was_all_that_evaluated_its_gain_is_not_made_up(told: Told) -> None:
    """Without the read the work would still have to be done."""
    (found,) = told("PL203", layers("always").replace("evaluate: async, ", ""))
    assert float(found.evidence["host_without_s"]) > 5e-3


def replay(device: str) -> str:
    """A replay with one point."""
    return (
        "source: {shape: [64, 64], kind: replay, messages: 400}\n"
        f"nodes:\n  work: {{inputs: source, evaluate: async, costs: {{ops: 4, device: {device}, output: 16 KiB}}}}\n"
    )


def test_a_full_queue_is_good_to_know(told: Told) -> None:
    """The host stands for what the device needs longer than it."""
    (found,) = told("PL207", replay("5 ms"))
    assert (found.node, found.severity) == ("work", "note")
    assert found.evidence["blocked_s"] == pytest.approx(5e-3 - 70e-6, rel=0.02)
    assert "63.1 messages" in found.says


def test_a_host_that_is_the_slower_one_never_meets_a_full_queue(told: Told) -> None:
    """Then ASYNC returns at once."""
    assert not told("PL207", replay("20 us"))


def test_more_ops_than_the_queue_holds_block_within_one_message(cpu: Machine) -> None:
    """MLX's CPU build takes about 110 dispatches."""
    text = "{shape: [64, 64], kind: replay, messages: 100}"
    node = {"inputs": "source", "evaluate": "async", "costs": {"ops": 300, "device": "3 ms", "output": "16 KiB"}}
    graph = graph_of({"version": 1, "device": "cpu", "source": YAML(typ="safe").load(text), "nodes": {"work": node}})
    (found,) = [each for each in advise(graph, replace(cpu, kind="cpu")).findings if each.code == "PL207"]
    assert "300 ops of one message do not fit" in found.says
    assert float(found.evidence["messages_that_fit"]) < 1
