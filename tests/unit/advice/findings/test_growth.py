"""PL101, PL102 and PL103: what nothing evaluates, or too seldom."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from placement_cli.advice.advice import Finding

Told = Callable[[str, str], Sequence[Finding]]
LOOP = "source: {shape: [1, 1], kind: loop, messages: 20000}\n"
LIVE = "source: {shape: [20, 64], rate: 50}\n"


def chain(head: str, *, first: str = "", middle: str = "", last: str = "") -> str:
    """A state, a node behind it, a node at the end."""
    nodes = (("keep", "source", first), ("hold", "keep", middle), ("out", "hold", last))
    rows = [f"  {name}: {{inputs: {reads}{', ' if more else ''}{more}}}" for name, reads, more in nodes]
    return head + "nodes:\n" + "\n".join(rows) + "\n"


def test_a_state_that_nothing_evaluates_grows(told: Told) -> None:
    """The finding names its node, and when the limit of buffers is reached."""
    (found,) = told("PL101", chain(LOOP, first="state: carried, costs: {ops: 3, buffers: 100}"))
    assert (found.node, found.severity) == ("keep", "error")
    assert found.evidence["buffers_per_message"] == 100
    assert "the limit of 499000 buffers after 4990 messages" in found.says


def test_a_loop_without_state_grows_too(told: Told) -> None:
    """Every step is made from the one before."""
    (found,) = told("PL101", chain(LOOP))
    assert found.node == "out"


@pytest.mark.parametrize("where", ["first", "middle", "last"])
def test_any_point_at_or_after_a_state_covers_it(told: Told, where: str) -> None:
    """A point evaluates everything before it."""
    modes = {"first": "state: carried"}
    modes[where] = ", ".join(filter(None, [modes.get(where), "evaluate: async"]))
    assert not told("PL101", chain(LOOP, **modes))


def test_a_state_that_no_evaluated_output_reads_is_side_state(told: Told) -> None:
    """What is evaluated is named, and the bytes of a message are those of the state."""
    graph = chain(LOOP, middle="state: side, costs: {buffers: 43, output: 1 KiB}", last="evaluate: async")
    (found,) = told("PL102", graph)
    assert found.node == "hold"
    assert "(out)" in found.says
    assert found.evidence["bytes_per_message"] == 1024


def test_the_copies_of_a_node_are_one_finding(told: Told) -> None:
    """Findings are by the node of the document."""
    graph = chain(LOOP, first="repeat: 7", middle="state: side, repeat: 5", last="evaluate: async")
    assert [each.node for each in told("PL102", graph)] == ["hold"]


@pytest.mark.parametrize("withholds", ["emits: {every: 50}", "emits: {probability: 0.1}"])
def test_a_point_behind_a_node_that_withholds_is_no_cover(told: Told, withholds: str) -> None:
    """The withholding node is named, and where the point belongs."""
    (found,) = told("PL103", chain(LIVE, first="state: carried", middle=withholds, last="evaluate: async"))
    assert found.node == "hold"
    assert found.fix == "Evaluate at or after keep, before hold."


@pytest.mark.parametrize("withholds", ["emits: {every: 50}", "emits: {probability: 0.1}"])
def test_a_state_behind_a_node_that_withholds_does_not_change_without_output(told: Told, withholds: str) -> None:
    """It is evaluated whenever it changes, so that nothing piles up."""
    graph = chain(LIVE, first=withholds, middle="state: carried", last="evaluate: async")
    assert not [*told("PL101", graph), *told("PL103", graph)]


def test_a_node_that_evaluates_itself_when_it_gives_output_withholds_that_too(told: Told) -> None:
    """Its reading is no cover on the messages between."""
    graph = chain(LIVE, first="state: carried", middle="state: carried, emits: {every: 200}, forces: on-emit")
    (found,) = told("PL103", graph)
    assert found.node == "hold"


def test_a_state_that_waits_for_chance_itself_is_a_warning(told: Told) -> None:
    """No point at an output helps: its state has to be handed over."""
    graph = chain(LIVE, first="state: carried, emits: {probability: 0.1}, evaluate: async")
    (found,) = told("PL101", graph)
    assert (found.node, found.severity) == ("keep", "warning")
    assert found.fix.startswith("No point at an output reaches it")


def test_a_reader_that_may_drop_messages_is_no_cover(told: Told) -> None:
    """Only what runs on every message evaluates."""
    head = LIVE + "nodes:\n  keep: {inputs: source, state: carried}\n"
    reader = "  view: {{backend: host, inputs: {{node: keep, leaky: {}}}, costs: {{host: 1 ms}}}}\n"
    assert told("PL101", head + reader.format("true"))
    assert not told("PL101", head + reader.format("false"))
