"""What `--set` and `quick` change in a scenario."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.bench.grid import Grid, grid_of
from placement_cli.bench.overrides import known_keys, override, parse_override, quick_overrides
from placement_cli.bench.scenario_file import parse_scenario
from placement_cli.errors import UsageError

SCENARIO = """\
version: 1
name: mine
question: What is it?
reading: stream
source: {chunk: $chunk}
axes:
  chunk: [8x4, 16x4]
arms: [async, sync]
quick: {chunk: 4x4, arms: [sync], filter.sections: 1-2}
nodes:
  filter: {op: sosfilt, inputs: source}
  step:   {op: scale, params: {gain: 2}}
"""


def change(*texts: str, scenario: str = SCENARIO) -> Grid:
    """Return the grid of a scenario after some `--set`."""
    grid = grid_of(parse_scenario(scenario, "f"))
    for text in texts:
        grid = override(grid, parse_override(text))
    return grid


def test_an_axis_gets_other_values() -> None:
    """The axis keeps its position, its values know that they come from the command line."""
    grid = change("chunk=1x1,2x2")

    assert [(given.value, given.place) for given in grid.axes["chunk"]] == [
        ("1x1", "--set 'chunk=1x1,2x2'"),
        ("2x2", "--set 'chunk=1x1,2x2'"),
    ]


@pytest.mark.parametrize(
    ("text", "axis", "values"),
    [
        ("messages=100", "messages", [100]),
        ("messages=1-4*2", "messages", [1, 2, 4]),
        ("step.gain=0.5,1", "step.gain", [0.5, 1]),
        ("step.offset=3", "step.offset", [3]),
        ("filter.sections=1-3", "filter.sections", [1, 2, 3]),
        ("source.dtype=float16", "source.dtype", ["float16"]),
    ],
)
def test_what_is_set_becomes_an_axis(text: str, axis: str, values: list[object]) -> None:
    """Settings and parameters that are set show in the names of cases, after the axes of the document."""
    grid = change(text)

    assert list(grid.axes) == ["chunk", axis]
    assert [given.value for given in grid.axes[axis]] == values
    assert next(iter(grid.points())).id == f"mine[chunk=8x4,{axis}={values[0]}]"


def test_setting_the_same_thing_again_replaces_it() -> None:
    """The later change wins, as a set option does over the quick part."""
    grid = change("step.gain=1", "step.gain=3,4")

    assert [given.value for given in grid.axes["step.gain"]] == [3, 4]


def test_arms_and_base_are_replaced() -> None:
    """Arms are text, not ranges; one base."""
    grid = change("arms=window:1, off", "base=off")

    assert [given.value for given in grid.arms] == ["window:1", "off"]
    assert grid.chosen_base is not None
    assert grid.chosen_base.value == "off"


def test_quick_takes_the_same_keys() -> None:
    """The quick part is read as `--set` is, with places in the file."""
    grid = grid_of(parse_scenario(SCENARIO, "f"))

    changes = quick_overrides(grid)

    assert [(each.key, [given.value for given in each.values], each.place) for each in changes] == [
        ("chunk", ["4x4"], "f:9:9"),
        ("arms", ["sync"], "f:9:21"),
        ("filter.sections", [1, 2], "f:9:35"),
    ]
    assert changes[1].values[0].place == "f:9:28"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected KEY=VALUE or KEY=VALUE,VALUE"),
        ("chunk", "expected KEY=VALUE"),
        ("=1", "expected KEY=VALUE"),
        ("chunk=", "expected KEY=VALUE"),
        ("chunk= ", "expected KEY=VALUE"),
        ("chunk=1x1,1x1", "'1x1' is given twice"),
        ("chunk=4-1", "'4-1' ends before it begins"),
        ("chunks=1", "'chunks' is nothing that scenario mine has. Did you mean 'chunk'?"),
        ("step.gian=1", "'step.gian' is nothing that scenario mine has. Did you mean 'step.gain'?"),
        ("rate=3", "'rate' is nothing that scenario mine has."),
        ("quick=3", "'quick' is nothing that scenario mine has."),
        ("base=async,sync", "expected one arm as the base, not 2"),
        ("source.chunk=1x1", "source.chunk follows the axis 'chunk'; set chunk=... instead"),
        ("\x1b[31m=1", "'\\x1b[31m' is nothing that scenario mine has"),
    ],
)
def test_mistakes_name_the_option(text: str, message: str) -> None:
    """The error quotes the option as it was given and says what exists."""
    with pytest.raises(UsageError) as raised:
        change(text)

    assert str(raised.value).startswith(f"--set {text!r}: {message}")


def test_a_parameter_that_follows_an_axis_is_not_cut_off_from_it() -> None:
    """The same holds for settings and parameters of nodes."""
    scenario = SCENARIO.replace("gain: 2", "gain: $n").replace("axes:\n", "axes:\n  n: [1]\n")
    scenario = scenario.replace("arms:", "messages: $n\narms:", 1)

    for key in ("step.gain", "messages"):
        with pytest.raises(UsageError, match=f"{key} follows the axis 'n'; set n=... instead"):
            change(f"{key}=1", scenario=scenario)


def test_known_keys_are_axes_choices_settings_and_parameters() -> None:
    """Settings that the reading does not take are not offered; the operator's parameters are."""
    keys = known_keys(parse_scenario(SCENARIO, "f").document)

    assert keys[:4] == ["chunk", "arms", "base", "messages"]
    assert "rate" not in keys
    assert {"source.dtype", "filter.sections", "step.gain", "step.offset"} <= set(keys)


def test_an_operator_that_follows_an_axis_offers_what_is_written() -> None:
    """Which parameters it has is not known before the axis has a value."""
    scenario = SCENARIO.replace("op: scale", "op: $work").replace("axes:\n", "axes:\n  work: [scale]\n")

    keys = known_keys(parse_scenario(scenario, "f").document)

    assert "step.gain" in keys
    assert "step.offset" not in keys


@settings(deadline=None)
@given(st.text(max_size=40) | st.text(alphabet="chunk=stepgain.0123456789x,-*+", max_size=40))
def test_any_option_is_taken_or_refused(text: str) -> None:
    """No text makes `--set` raise anything but a usage error."""
    with suppress(UsageError):
        assert len(change(text).axes) >= 1
