"""Outputs that nothing in their own message computes are found, whatever the arm and the pipeline."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode, every, window
from placement_cli.graph.pipeline import Pipeline
from placement_cli.measure.specs import Arm, ArmMode
from placement_cli.measure.unread import held_messages, sink_modes, unread_sinks, waits_each_message

MakePipeline = Callable[..., Pipeline]
SUBMITTING = [(ArmMode.ASYNC, 0), (ArmMode.SYNC, 0), (ArmMode.WINDOW, 2), (ArmMode.EVERY, 1)]


@pytest.fixture
def chain(make_pipeline: MakePipeline) -> Pipeline:
    """A filter and a rectifier."""
    return make_pipeline(("filter", "sosfilt", ["source"]), ("rectify", "abs", ["filter"]))


def test_off_computes_nothing(chain: Pipeline) -> None:
    """Without a point the end of the chain is unread."""
    assert unread_sinks(Arm("off", ArmMode.OFF), chain) == ("rectify",)


@pytest.mark.parametrize(("mode", "depth"), SUBMITTING)
def test_a_point_at_the_end_computes_it(chain: Pipeline, mode: ArmMode, depth: int) -> None:
    """Every mode that evaluates each message leaves nothing unread at its site."""
    assert unread_sinks(Arm("arm", mode, ("rectify",), depth), chain) == ()


@pytest.mark.parametrize(("mode", "depth"), SUBMITTING)
def test_a_point_before_the_end_does_not(chain: Pipeline, mode: ArmMode, depth: int) -> None:
    """What comes after the last point is unread."""
    assert unread_sinks(Arm("arm", mode, ("filter",), depth), chain) == ("rectify",)


def test_every_computes_only_the_newest(chain: Pipeline) -> None:
    """With every:4 three messages in four are not computed when they are passed."""
    assert unread_sinks(Arm("every:4", ArmMode.EVERY, ("rectify",), 4), chain) == ("rectify",)


def test_values_of_an_arm_read_all(chain: Pipeline) -> None:
    """A conversion at the end of each message computes every output."""
    assert unread_sinks(Arm("off+values", ArmMode.OFF, values=True), chain) == ()


def test_a_values_node_reads_its_own_branch_only(make_pipeline: MakePipeline) -> None:
    """A second branch that nothing evaluates stays unread."""
    pipeline = make_pipeline(("one", "abs", ["source"]), ("out", "values", ["one"]), ("two", "abs", ["source"]))
    assert unread_sinks(Arm("off", ArmMode.OFF), pipeline) == ("two",)


def test_host_work_reads_nothing(make_pipeline: MakePipeline) -> None:
    """Host work at the end hands on an array that is as lazy as before."""
    pipeline = make_pipeline(("rectify", "abs", ["source"]), ("work", "host", ["rectify"]))
    assert unread_sinks(Arm("off", ArmMode.OFF), pipeline) == ("work",)
    assert unread_sinks(Arm("async", ArmMode.ASYNC, ("rectify",)), pipeline) == ()


def test_host_work_on_the_source_is_never_unread(make_pipeline: MakePipeline) -> None:
    """The message itself is there."""
    pipeline = make_pipeline(("work", "host", ["source"]), ("out", "values", ["source"]))
    assert unread_sinks(Arm("off", ArmMode.OFF), pipeline) == ()


def test_inputs_of_what_is_computed_are_computed(make_pipeline: MakePipeline) -> None:
    """Host work beside a point on the same array has an array that the point computes."""
    pipeline = make_pipeline(("first", "abs", ["source"]), ("work", "host", ["first"]), ("second", "scale", ["first"]))
    assert unread_sinks(Arm("async", ArmMode.ASYNC, ("second",)), pipeline) == ()


def test_a_point_behind_withheld_output_computes_nothing_before_it(make_pipeline: MakePipeline) -> None:
    """An array without samples depends on nothing, so what stands before the stage is unread."""
    pipeline = make_pipeline(
        ("first", "abs", ["source"]), ("work", "host", ["first"]), ("less", "bin", ["first"], {"size": 20})
    )
    assert unread_sinks(Arm("async", ArmMode.ASYNC, ("less",)), pipeline) == ("work",)


@pytest.fixture
def ends(make_pipeline: MakePipeline) -> Pipeline:
    """One node that is read by three ends: MLX work, host work behind MLX work, and a conversion."""
    return make_pipeline(
        ("first", "abs", ["source"]),
        ("left", "scale", ["first"]),
        ("right", "scale", ["first"]),
        ("work", "host", ["right"]),
        ("out", "values", ["first"]),
    )


@pytest.mark.parametrize(
    ("modes", "unread"),
    [
        ({"left": OFF, "right": ASYNC}, ("left",)),
        ({"left": every(2), "right": window(3)}, ("left",)),
        ({"left": every(1), "right": OFF}, ("work",)),
        ({"first": SYNC}, ("left", "work")),
    ],
)
def test_every_point_of_a_placement_computes_by_its_own_mode(
    ends: Pipeline, modes: dict[str, Mode], unread: tuple[str, ...]
) -> None:
    """What one point leaves undone another cannot hide."""
    assert unread_sinks(Arm.placed("mine", modes), ends) == unread


@pytest.mark.parametrize(
    ("modes", "messages"),
    [
        ({"left": OFF, "right": ASYNC}, {"left": 0}),
        ({"left": every(3), "right": every(5)}, {"left": 3, "work": 5}),
        ({"first": every(4), "right": every(5)}, {"left": 4, "work": 5}),
    ],
)
def test_held_outputs_are_evaluated_with_their_own_point(
    ends: Pipeline, modes: dict[str, Mode], messages: dict[str, int]
) -> None:
    """Those of every:K at the K-th message, also behind host work; those without any at the end."""
    arm = Arm.placed("mine", modes)
    assert {sink: held_messages(arm, ends, sink) for sink in unread_sinks(arm, ends)} == messages


def test_an_arm_of_one_mode_holds_all_outputs_alike(chain: Pipeline) -> None:
    """With every:4 before the end, what comes after it is evaluated as often."""
    assert held_messages(Arm("every:4", ArmMode.EVERY, ("filter",), 4), chain, "rectify") == 4


def test_values_can_be_read_as_the_points_at_the_ends_say(ends: Pipeline) -> None:
    """Through host work too; an end without a point, one that is NumPy's and one of an arm with values never wait."""
    modes = {"first": every(9), "left": window(2), "right": SYNC}
    assert sink_modes(Arm.placed("mine", modes), ends) == (window(2), SYNC)
    assert sink_modes(Arm.placed("mine", {"first": every(9), "right": every(2)}), ends) == (every(2),)
    assert sink_modes(Arm.placed("mine", modes, values=True), ends) == ()


@pytest.mark.parametrize(
    ("modes", "waits"),
    [
        ({"left": SYNC, "right": every(1)}, True),
        ({"left": SYNC, "right": ASYNC}, False),
        ({"left": every(2), "right": SYNC}, False),
        ({"first": SYNC}, False),
    ],
)
def test_a_message_is_through_when_every_end_is_waited_for(ends: Pipeline, modes: dict[str, Mode], waits: bool) -> None:
    """One end that is not leaves a second message in flight."""
    assert waits_each_message(Arm.placed("mine", modes), ends) is waits
    assert waits_each_message(Arm.placed("mine", modes, values=True), ends)
