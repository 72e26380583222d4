"""Nodes checked against the operators they use."""

from __future__ import annotations

import pytest

from placement_cli.bench.grid import grid_of
from placement_cli.bench.scenario_file import parse_scenario
from placement_cli.bench.wiring import wire
from placement_cli.errors import UsageError

HEAD = """\
version: 1
name: mine
question: What is it?
reading: stream
source: {chunk: 8x4}
axes: {n: [1, 99]}
messages: $n
arms: [async]
nodes:
"""


def check(nodes: str, at: int = 0) -> None:
    """Write the scenario out at one of its points."""
    wire(list(grid_of(parse_scenario(HEAD + nodes, "f")).points())[at])


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ("  a: {op: asb}\n", "f:10:11: There is no operator 'asb'. Did you mean 'abs'?"),
        ("  a: {op: abs, params: {gain: 1}}\n", "f:10:25: 'gain' is no parameter of abs. It takes none."),
        (
            "  a: {op: sosfilt, params: {section: 2}}\n",
            "f:10:29: 'section' is no parameter of sosfilt. Did you mean 'sections'?",
        ),
        ("  a: {op: sosfilt, params: {sections: 99}}\n", "f:10:39: sosfilt: parameter 'sections' is 99, but must be"),
        ("  a: {op: sosfilt, params: {sections: 2.5}}\n", "f:10:39: sosfilt: parameter 'sections' is 2.5"),
        ("  a: {op: host, params: {kind: blass}}\n", "f:10:32: host: parameter 'kind' is 'blass'"),
        ("  a: {op: join, inputs: source}\n", "f:10:25: node 'a': join takes 2 to 64 inputs, not 1."),
        ("  a: {op: abs, inputs: [source, source]}\n", "f:10:24: node 'a': abs takes one input, not 2."),
        (
            "  a: {op: downsample, params: {factor: 2}}\n  b: {op: join, inputs: [source, a]}\n",
            "f:11:25: node 'b': join takes inputs of one length",
        ),
        (
            "  a: {op: values}\n  b: {op: abs}\n",
            "f:11:6: node 'b': does MLX work but reads 'a', whose values are NumPy's",
        ),
        (
            "  a: {op: values}\n  b: {op: host}\n  c: {op: abs}\n",
            "f:12:6: node 'c': does MLX work but reads 'b', whose values are NumPy's",
        ),
        ("  a: {op: host}\n  b: {op: values}\n", "f:10:3: no node does MLX work, so there is nothing to evaluate"),
    ],
)
def test_mistakes_are_placed(nodes: str, message: str) -> None:
    """The error points at the operator, the parameter, its value, the inputs or the node."""
    with pytest.raises(UsageError) as raised:
        check(nodes)

    assert str(raised.value).startswith(message)


def test_a_value_of_an_axis_is_blamed_where_it_is_written() -> None:
    """Only the point at which the value is out of bounds is refused, and the axis is named as the place."""
    nodes = "  a: {op: sosfilt, params: {sections: $n}}\n"

    check(nodes, 0)
    with pytest.raises(UsageError, match=r"^f:6:15: sosfilt: parameter 'sections' is 99"):
        check(nodes, 1)


def test_parameters_that_do_not_fit_together_are_placed_at_all_of_them() -> None:
    """An objection that no single value raises belongs to the whole mapping."""
    with pytest.raises(UsageError, match=r"^f:10:27: window: `hop` \(8\) must not exceed `length` \(4\)"):
        check("  a: {op: window, params: {length: 4, hop: 8}}\n")


def test_host_work_in_the_middle_hands_the_message_on() -> None:
    """Only a conversion to NumPy ends the MLX work."""
    check("  a: {op: abs}\n  b: {op: host}\n  c: {op: abs}\n  d: {op: values}\n  e: {op: host}\n")
