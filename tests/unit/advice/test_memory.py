"""The most that one message holds at a time, and where to wait so that it is less."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.advice.flow import Flow
from placement_cli.advice.loads import Load, loads_of
from placement_cli.advice.machine import Machine
from placement_cli.advice.memory import message_bytes, peak_bytes, split_by_bytes
from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode

FlowFrom = Callable[..., Flow]
SOURCE = "{shape: [1, 100], dtype: int8, kind: once}"
"""A message of 100 bytes."""


def chain(held: Sequence[tuple[int, int]]) -> str:
    """A chain of nodes with so many bytes of output and of intermediates."""
    before = ["source", *(f"n{number}" for number in range(len(held)))]
    return "\n".join(
        f"n{number}: {{inputs: {before[number]}, costs: {{output: {output} B, intermediates: {other} B}}}}"
        for number, (output, other) in enumerate(held)
    )


def peak(flow: Flow, loads: Sequence[Load], **modes: Mode) -> float:
    """The peak with no point but these."""
    return peak_bytes(flow, loads, {node.name: modes.get(node.name, OFF) for node in flow.mlx_nodes})


def test_one_submission_holds_everything(flow_from: FlowFrom, simple: Machine) -> None:
    """Its input, and all that its nodes make, whatever is scheduled earlier."""
    flow = flow_from(chain([(10, 5), (20, 0), (30, 1)]), SOURCE)
    loads = loads_of(flow, simple)

    assert peak(flow, loads) == peak(flow, loads, n0=ASYNC) == message_bytes(flow, loads) == 166


def test_after_a_wait_only_what_is_still_read_remains(flow_from: FlowFrom, simple: Machine) -> None:
    """The input and intermediates of the first piece are gone; its output is there until the second is done."""
    flow = flow_from(chain([(10, 50), (20, 0), (30, 1)]), SOURCE)
    loads = loads_of(flow, simple)

    assert peak(flow, loads, n0=SYNC) == 100 + 60
    assert peak(flow, loads, n1=SYNC) == 100 + 60 + 20
    flow = flow_from(
        f"{chain([(10, 50), (20, 0), (300, 1)])}\nlate: {{inputs: [n0, source], costs: {{output: 7 B}}}}", SOURCE
    )
    assert peak(flow, loads_of(flow, simple), n0=SYNC, n1=SYNC) == 100 + 10 + 20 + 301 + 7


def test_where_values_are_read_the_host_waits_too(flow_from: FlowFrom, simple: Machine) -> None:
    """For the same message and surely: a leaky or later reader is no wait."""
    nodes = (
        "a: {{inputs: source, costs: {{output: 10 B, intermediates: 500 B}}}}\nb: {}\n"
        "c: {{inputs: b, costs: {{output: 300 B}}}}"
    )
    [read, forced, leaky, lagged] = (
        flow_from(nodes.format(reader), SOURCE)
        for reader in (
            "{backend: host, inputs: a, costs: {output: 10 B}}",
            "{inputs: a, forces: always, costs: {output: 10 B}}",
            "{backend: host, inputs: {node: a, leaky: true}, costs: {output: 10 B}}",
            "{backend: host, inputs: {node: a, lag: 1}, costs: {output: 10 B}}",
        )
    )

    assert peak(read, loads_of(read, simple)) == 100 + 510
    assert peak(forced, loads_of(forced, simple)) == 100 + 510
    assert peak(leaky, loads_of(leaky, simple)) == peak(lagged, loads_of(lagged, simple)) == 100 + 510 + 300


def test_a_wait_behind_a_withholding_node_is_none_on_most_messages(flow_from: FlowFrom, simple: Machine) -> None:
    """The worst message counts."""
    flow = flow_from(
        "a: {inputs: source, emits: {every: 2}, costs: {output: 10 B}}\nb: {inputs: source, costs: {output: 5 B}}",
        SOURCE,
    )

    assert peak(flow, loads_of(flow, simple), a=SYNC) == 115


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=7),
    st.lists(st.integers(0, 6), max_size=3),
    st.integers(50, 500),
)
def test_a_chain_is_split_with_the_fewest_waits(
    flow_from: FlowFrom, simple: Machine, held: list[tuple[int, int]], late: list[int], limit: int
) -> None:
    """Against every set of waits, also where nodes far behind read earlier outputs."""
    lines = chain(held).splitlines()
    extra = [f"n{number}" for number in late if number < len(held) - 1]
    lines[-1] = (
        lines[-1]
        .replace("inputs: ", f"inputs: [{', '.join(extra)}{', ' if extra else ''}")
        .replace(", costs", "], costs")
    )
    flow = flow_from("\n".join(lines), SOURCE)
    loads = loads_of(flow, simple)
    none = {node.name: OFF for node in flow.mlx_nodes}

    found = split_by_bytes(flow, loads, none, limit)

    fitting = [
        count
        for count in range(len(none) + 1)
        for names in combinations(none, count)
        if peak_bytes(flow, loads, none | dict.fromkeys(names, SYNC)) <= limit
    ]
    if found is not None:
        assert peak_bytes(flow, loads, found) <= limit
        assert sum(mode.submits for mode in found.values()) == min(fitting)
    else:
        assert not fitting


def test_existing_points_stay(flow_from: FlowFrom, simple: Machine) -> None:
    """Where no wait takes their place."""
    flow = flow_from(chain([(100, 0)] * 4), SOURCE)
    base = {"n0": ASYNC, "n1": OFF, "n2": ASYNC, "n3": OFF}
    found = split_by_bytes(flow, loads_of(flow, simple), base, 350)

    assert found == {"n0": ASYNC, "n1": SYNC, "n2": ASYNC, "n3": OFF}


def test_what_fits_nowhere_is_not_split(flow_from: FlowFrom, simple: Machine) -> None:
    """A single node may need more than there is."""
    flow = flow_from(chain([(10, 0), (10, 1000)]), SOURCE)

    assert split_by_bytes(flow, loads_of(flow, simple), {"n0": OFF, "n1": OFF}, 500) is None
