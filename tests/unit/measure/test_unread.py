"""Outputs that nothing in their own message computes are found, whatever the arm and the pipeline."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from placement_cli.graph.pipeline import Pipeline
from placement_cli.measure.specs import Arm, ArmMode
from placement_cli.measure.unread import unread_sinks

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
