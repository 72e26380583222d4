"""The sentences of an advice."""

from __future__ import annotations

from textwrap import dedent

import pytest
from ruamel.yaml import YAML

from placement_cli.advice.advice import Advice
from placement_cli.advice.advising import advise
from placement_cli.advice.machine import Machine
from placement_cli.graph.document.reading import graph_of


def told(machine: Machine, text: str) -> Advice:
    """Return the advice for a graph, its `version` left out."""
    return advise(graph_of({"version": 1, "device": "gpu", **YAML(typ="safe").load(dedent(text))}), machine)


CHAIN = """
    source: {source}
    nodes:
      Filter: {{op: sosfilt, inputs: source, evaluate: {first}}}
      Rectify: {{op: abs, inputs: Filter, evaluate: {last}}}
"""
REPLAY, LIVE = "{shape: [30, 256], kind: replay, messages: 400}", "{shape: [30, 256], rate: 50}"


def chain(source: str, first: str, last: str) -> str:
    """A filter and a node behind it."""
    return CHAIN.format(source=source, first=f'"{first}"', last=f'"{last}"')


def test_a_verdict_says_what_to_change_and_what_it_gives(metal: Machine) -> None:
    """Points, then what is taken away, then the gain with its unit."""
    says = told(metal, chain(REPLAY, "async", "async")).verdict
    assert says.startswith("No point at Filter: 1.2")
    assert "times as fast (predicted: " in says
    assert "µs of host time a message instead of" in says


def test_a_live_source_is_not_made_faster(metal: Machine) -> None:
    """What changes is for how long a message holds the host."""
    says = told(metal, chain(LIVE, "async", "sync")).verdict
    assert "a message holds the host for" in says
    assert "times as fast" not in says


def test_nothing_to_do_is_said_first(metal: Machine) -> None:
    """A healthy graph is not improved for the sake of it."""
    assert told(metal, chain(LIVE, "off", "async")).verdict.startswith("Change nothing: ")


def test_the_time_of_work_that_is_never_done_is_not_compared(metal: Machine) -> None:
    """Nothing is evaluated today, which costs the host nothing and is no speed."""
    says = told(metal, chain(LIVE, "off", "off")).verdict
    assert "so that Filter cannot grow" in says
    assert "work that is not done today included" in says
    assert "instead of" not in says
    assert "the speed" not in says


def test_names_keep_their_case_at_the_beginning_of_a_sentence(metal: Machine) -> None:
    """Names are data."""
    lower = chain(LIVE, "off", "off").replace("Rectify", "rectify").replace("Filter", "filter")
    broken = told(metal, lower).alternatives[0].violates
    assert "Nothing evaluates rectify." in broken
    assert not [each for each in broken if each.startswith(("Rectify", "Filter"))]


def test_a_branch_that_nothing_evaluates_is_told(metal: Machine) -> None:
    """The state before it is covered, so that no finding says it."""
    assert "today nothing evaluates Rectify" in told(metal, chain(LIVE, "async", "off")).verdict


def test_limits_that_no_placement_keeps_are_told_with_the_one_that_is_broken(metal: Machine) -> None:
    """The least bad is still an advice."""
    text = """
        source: {shape: [256, 512], rate: 200}
        nodes:
          model: {inputs: source, state: carried, evaluate: async, costs: {build: 1 ms, device: 8 ms, ops: 9}}
    """
    says = told(metal, text).verdict
    assert says.startswith("No placement keeps all limits; the least bad is ")
    assert "for a message that comes every 5.00 ms" in says


def test_copies_that_change_alike_go_by_the_name_of_their_node(metal: Machine) -> None:
    """48 names are no sentence."""
    text = """
        source: {shape: [64, 64], kind: replay, messages: 100}
        nodes:
          layer: {inputs: source, repeat: 48, evaluate: async, costs: {ops: 2, device: 20 us, output: 16 KiB}}
          head: {inputs: layer, evaluate: async, costs: {ops: 1, device: 5 us, output: 16 KiB}}
    """
    says = told(metal, text).verdict
    assert "at layer:" in says or "at layer," in says
    assert "layer.0" not in says


def test_a_graph_without_mlx_has_nothing_to_place(metal: Machine) -> None:
    """Nodes of the host evaluate nothing."""
    text = "source: {shape: [4, 4], rate: 9}\nnodes:\n  a: {backend: host, inputs: source, costs: {host: 1 ms}}\n"
    assert told(metal, text).verdict == "Nothing here computes with MLX: there is nothing to place."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (chain(LIVE, "off", "async"), "Values are due within one period, 20.0 ms."),
        (
            "source: {shape: [4, 4]}\nnodes:\n  a: {inputs: source, evaluate: async}\n",
            "The build time of a was assumed.",
        ),
    ],
)
def test_what_was_taken_for_granted_is_said(metal: Machine, text: str, said: str) -> None:
    """One sentence each."""
    assert said in told(metal, text).assumed
