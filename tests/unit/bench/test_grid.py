"""Axes, the points of a grid, and what `$NAME` stands for at each of them."""

from __future__ import annotations

import pytest

from placement_cli.bench.grid import MAX_CASES, grid_of
from placement_cli.bench.scenario_file import parse_scenario
from placement_cli.errors import UsageError

SCENARIO = """\
version: 1
name: mine
question: What is it?
reading: stream
source: {chunk: 8x4}
axes:
  n: [1-4*2, 8]
  gain: 0.5,2.0
messages: $n
arms: [async]
nodes:
  left: {op: scale, params: {gain: $gain, offset: $messages}, repeat: $n}
"""


def test_axes_are_written_out() -> None:
    """Lists and ranges, in brackets or in one text, become values that know where they were written."""
    grid = grid_of(parse_scenario(SCENARIO, "f"))

    assert [given.value for given in grid.axes["n"]] == [1, 2, 4, 8]
    assert [given.value for given in grid.axes["gain"]] == [0.5, 2]
    assert [given.place for given in grid.axes["n"]] == ["f:7:7", "f:7:7", "f:7:7", "f:7:14"]


def test_the_last_axis_varies_fastest() -> None:
    """Points come in the order of the axes, and are named by their values."""
    ids = [point.id for point in grid_of(parse_scenario(SCENARIO, "f")).points()]

    assert ids[:3] == ["mine[n=1,gain=0.5]", "mine[n=1,gain=2]", "mine[n=2,gain=0.5]"]
    assert len(ids) == 8


def test_a_scenario_without_axes_is_one_point() -> None:
    """Its only case is called like the scenario."""
    text = SCENARIO.replace("  n: [1-4*2, 8]\n  gain: 0.5,2.0\n", "").replace("axes:\n", "")
    text = text.replace("$n", "1").replace("$gain", "1")

    (point,) = grid_of(parse_scenario(text, "f")).points()

    assert point.id == "mine"
    assert point.params == {}


def test_references_stand_for_axes_and_settings() -> None:
    """A reference has the value and the place of what it stands for; a plain value has its own."""
    points = list(grid_of(parse_scenario(SCENARIO, "f")).points())

    gain = points[1].given("$gain", "nodes", "left", "params", "gain")
    messages = points[-1].given("$messages", "nodes", "left", "params", "offset")
    plain = points[0].given(2.0, "nodes", "left", "params", "gain")

    assert (gain.value, gain.place) == (2, "f:8:9")
    assert (messages.value, messages.place) == (8, "f:7:14")
    assert (plain.value, plain.place) == (2, "f:12:36")
    assert points[0].setting("messages") == points[0].values["n"]
    assert points[0].setting("rate") is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[1-4*2, 8]", "[1, 4-1]", "f:7:10: '4-1' ends before it begins"),
        ("[1-4*2, 8]", "[1-4, 2]", "f:7:6: '2' is given twice"),
        ("[1-4*2, 8]", "[1-200, 201-400]", "f:7:14: gives more than 256 values"),
        ("[1-4*2, 8]", "'a b'", "f:7:6: 'a b' is not a value"),
        ("0.5,2.0", "2,2.0", "f:8:9: '2' is given twice"),
    ],
)
def test_mistakes_in_axes_are_placed(old: str, new: str, message: str) -> None:
    """The error points at the item of the list."""
    with pytest.raises(UsageError) as raised:
        grid_of(parse_scenario(SCENARIO.replace(old, new), "f"))

    assert str(raised.value).startswith(message)


def test_a_grid_is_bounded() -> None:
    """Too many cases are refused before any is made, and the sizes of the axes are told."""
    text = SCENARIO.replace("[1-4*2, 8]", "1-128").replace("0.5,2.0", "1-64")

    with pytest.raises(UsageError, match=rf"128 \(n\) x 64 \(gain\) are 8192 cases; expected at most {MAX_CASES}"):
        next(grid_of(parse_scenario(text, "f")).points())
