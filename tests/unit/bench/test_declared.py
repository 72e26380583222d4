"""Nodes as declared: copies, their names, and what they read."""

from __future__ import annotations

import pytest

from placement_cli.bench.declared import MAX_COPIES, MAX_NODES, Declared, declared_nodes
from placement_cli.bench.grid import grid_of
from placement_cli.bench.scenario_file import parse_scenario
from placement_cli.errors import UsageError

HEAD = """\
version: 1
name: mine
question: What is it?
reading: stream
source: {chunk: 8x4}
arms: [async]
nodes:
"""


def declare(nodes: str) -> dict[str, Declared]:
    """Return the nodes of a scenario of one case."""
    point = next(grid_of(parse_scenario(HEAD + nodes, "f")).points())
    return declared_nodes(point)


def test_a_node_without_inputs_reads_the_one_before() -> None:
    """The first reads the source."""
    nodes = declare("  a: {op: abs}\n  b: {op: abs}\n  c: {op: abs, inputs: a}\n")

    assert [node.inputs for node in nodes.values()] == [("source",), ("a",), ("a",)]


@pytest.mark.parametrize(
    ("keys", "copies", "ends"),
    [
        ("", ("a",), ("a",)),
        (", repeat: 1", ("a.0",), ("a.0",)),
        (", repeat: 3", ("a.0", "a.1", "a.2"), ("a.2",)),
        (", branches: 2", ("a.0", "a.1"), ("a.0", "a.1")),
        (", branches: 2, repeat: 2", ("a.0.0", "a.0.1", "a.1.0", "a.1.1"), ("a.0.1", "a.1.1")),
    ],
)
def test_copies_are_numbered(keys: str, copies: tuple[str, ...], ends: tuple[str, ...]) -> None:
    """Chains count steps, branches count branches, both count BRANCH.STEP; ends are what others read."""
    node = declare(f"  a: {{op: abs{keys}}}\n")["a"]

    assert node.copies == copies
    assert node.ends == ends


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ("  a: {op: abs, repeat: 0}\n", "f:8:24: repeat of node 'a' is '0'; expected a whole number from 1 to 256"),
        ("  a: {op: abs, repeat: 1000000000}\n", "f:8:24: repeat of node 'a' is '1000000000'"),
        ("  a: {op: abs, branches: 1.5}\n", "f:8:26: branches of node 'a' is '1.5'"),
        ("  a: {op: abs, branches: many}\n", "f:8:26: branches of node 'a' is 'many'"),
        ("  a: {op: abs, inputs: b}\n  b: {op: abs}\n", "f:8:24: node 'a' reads 'b', which does not come before it"),
        ("  a: {op: abs, inputs: a}\n", "f:8:24: node 'a' reads 'a', which does not come before it"),
        ("  abc: {op: abs}\n  b: {op: abs, inputs: [abc, abd]}\n", "f:9:30: node 'b' reads 'abd', which is no node."),
        ("  a: {op: abs, repeat: 2}\n  a.1: {op: abs}\n", "f:9:3: node 'a.1' and a copy of 'a' are both called 'a.1'"),
        ("  a.1: {op: abs}\n  a: {op: abs, repeat: 2}\n", "f:9:3: node 'a' and a copy of 'a.1' are both called 'a.1'"),
    ],
)
def test_mistakes_are_placed(nodes: str, message: str) -> None:
    """The error points at the number, at the input, or at the second of two names."""
    with pytest.raises(UsageError) as raised:
        declare(nodes)

    assert str(raised.value).startswith(message)


def test_the_nodes_of_a_case_are_bounded() -> None:
    """Copies of copies are counted before they are made."""
    nodes = f"  a: {{op: abs, repeat: {MAX_COPIES}, branches: {MAX_COPIES}}}\n"

    with pytest.raises(UsageError, match=f"f:8:6: gives case mine more than {MAX_NODES} nodes"):
        declare(nodes)
