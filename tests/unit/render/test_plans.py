"""What would be measured, on the terminal."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rich.cells import cell_len
from syrupy.assertion import SnapshotAssertion

from placement_cli.bench.cases import Scenario
from placement_cli.bench.duration import ScenarioDuration
from placement_cli.graph.pipeline import Node, Pipeline, Source
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading
from placement_cli.render.plans import plan_table, scenario_list

WIDTHS = (120, 80, 60, 40)
DURATIONS = [ScenarioDuration("chunk-size", 3, 6, 487.0, 1624.0), ScenarioDuration("queue-depth", 5, 1, 44.5, 148.0)]


def scenario(name: str = "chunk-size", cases: int = 2) -> Scenario:
    """A scenario of two axes."""
    pipeline = Pipeline(Source(4, 4, 2), (Node("last", "abs", ("source",)),))
    arms = (Arm("async", ArmMode.ASYNC, ("last",)),)
    made = tuple(Case(f"{name}[n={n}]", name, Reading.STREAM, pipeline, arms, "async") for n in range(cases))
    names = ("async", "sync", "async@every-node", "window:1", "window:4")
    axes = {"chunk": ("30-64x256", "128x1024", "1024x2048"), "depth": (1, 2, 4)}
    question = "From what chunk on does a point at every node pay?"
    return Scenario(name, question, Reading.STREAM, made, None, "async", names, axes, {}, "here")


@pytest.mark.parametrize("width", WIDTHS)
def test_the_list_of_scenarios(width: int, printed: Callable[..., str], snapshot: SnapshotAssertion) -> None:
    """Scenarios are listed with their question, axes, cases and arms."""
    text = printed(scenario_list([scenario(), scenario("live", 1)]), width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert text == snapshot


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("stages", [(6,), (6, 12, 20)], ids=["quick", "full"])
def test_the_plan(
    stages: tuple[int, ...], width: int, printed: Callable[..., str], snapshot: SnapshotAssertion
) -> None:
    """A dry run shows cases, processes and times, and the time of all."""
    text = printed(plan_table(DURATIONS, stages), width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert text == snapshot


def test_no_scenarios_are_no_list(printed: Callable[..., str]) -> None:
    """Nothing to list prints nothing."""
    assert printed(scenario_list([])).strip() == ""


def test_names_are_data(hostile: str, printed: Callable[..., str]) -> None:
    """A scenario of a stranger is listed as it is."""
    text = printed(scenario_list([scenario(hostile)]), 400)
    assert not {"\x1b", "\u202e", "\u2028"} & set(text)
    duration = ScenarioDuration(hostile, 1, 1, 1.0, 1.0)
    assert not {"\x1b", "\u202e", "\u2028"} & set(printed(plan_table([duration], (6,)), 400))
