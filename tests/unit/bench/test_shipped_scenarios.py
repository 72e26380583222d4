"""The scenarios that ship with the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from placement_cli.bench.cases import Scenario, make_scenario
from placement_cli.bench.catalog import READING_ORDER, scenario_folder, shipped_scenarios
from placement_cli.bench.footprint import case_bytes
from placement_cli.bench.overrides import known_keys, parse_override
from placement_cli.bench.scenario_file import load_scenario
from placement_cli.measure.shapes import pipeline_shapes
from placement_cli.measure.specs import Arm, Case, Reading

READINGS = {
    "queue-depth": Reading.QUEUE,
    "call-cost": Reading.BURST,
    "withheld": Reading.PENDING,
    "live": Reading.PACED,
}
SMALL_MACHINE = 8 * 2**30


def shipped(name: str, *, quick: bool = False) -> Scenario:
    """Return a shipped scenario."""
    return make_scenario(load_scenario(shipped_scenarios()[name]), quick=quick)


@pytest.fixture(params=READING_ORDER)
def name(request: pytest.FixtureRequest) -> str:
    """Every shipped scenario in turn."""
    return str(request.param)


@pytest.mark.parametrize("quick", [False, True])
def test_each_can_be_measured_full_and_quick(name: str, quick: bool) -> None:
    """It has its name, its reading, cases with different names, and fits into a small machine."""
    scenario = shipped(name, quick=quick)

    assert scenario.name == name
    assert scenario.reading is READINGS.get(name, Reading.STREAM)
    assert scenario.question.endswith("?")
    assert len({case.id for case in scenario.cases}) == len(scenario.cases)
    for case in scenario.cases:
        assert list(pipeline_shapes(case.pipeline)) == [node.name for node in case.pipeline.nodes]
        assert case.base in [arm.name for arm in case.arms]
        assert Case.from_json(case.to_json()) == case
        assert case_bytes(case) < SMALL_MACHINE


def test_a_quick_run_is_a_few_cases(name: str) -> None:
    """Quick is at most four cases, and never more than the full run."""
    assert len(shipped(name, quick=True).cases) <= min(4, len(shipped(name).cases))


def test_the_control_is_a_case_with_arms_to_compare(name: str) -> None:
    """Where nothing is compared there is none."""
    scenario = shipped(name)
    case = next((case for case in scenario.cases if case.id == scenario.control_case), None)

    assert (case is None) == (name == "queue-depth")
    assert case is None or len(case.arms) > 1


def test_each_explains_itself(name: str) -> None:
    """The header names what runs, every axis, every arm, how to read the table, and what it does not show."""
    text = shipped_scenarios()[name].read_text()
    header = text[: text.index("version:")]
    scenario = shipped(name)

    assert header.startswith(f"# {name}: ")
    for heading in ("# What runs", "# Axes", "# Arms", "# How to read it", "# What it does not show"):
        assert heading in header
    for axis in scenario.axes:
        assert f"#   {axis} " in header
    for arm in scenario.arms:
        assert arm in header or arm.partition(":")[0] + ":K" in header


def test_every_axis_can_be_set(name: str) -> None:
    """Every key that is offered is taken, with the values it has."""
    file = load_scenario(shipped_scenarios()[name])
    scenario = shipped(name)
    for axis, values in scenario.axes.items():
        again = make_scenario(file, [parse_override(f"{axis}={values[-1]}")])
        assert again.axes[axis] == (values[-1],)
    assert set(scenario.axes) < set(known_keys(file.document))


def test_every_file_is_a_listed_scenario() -> None:
    """Nothing lies in the folder that the order of reading does not know, and each is called like its file."""
    assert {path.stem for path in scenario_folder().iterdir()} == set(READING_ORDER)


def test_the_guide_lists_every_scenario_and_its_question() -> None:
    """The documentation and the files say the same."""
    guide = (scenario_folder().parent / "docs" / "scenarios.md").read_text()

    for scenario in READING_ORDER:
        assert any(f"| `{scenario}` |" in line and shipped(scenario).question in line for line in guide.splitlines())


def test_the_example_of_the_guide_is_a_scenario(tmp_path: Path) -> None:
    """What the guide prints can be copied and run."""
    guide = (scenario_folder().parent / "docs" / "scenarios.md").read_text()
    path = tmp_path / "example.yaml"
    path.write_text(guide.partition("```yaml\n")[2].partition("```")[0])

    assert make_scenario(load_scenario(path)).cases == shipped("chunk-size").cases


def arms_of(name: str, **values: int | str) -> dict[str, Arm]:
    """Return the arms of the case of a shipped scenario that has these values."""
    case = next(case for case in shipped(name).cases if all(case.params[key] == value for key, value in values.items()))
    return {arm.name: arm for arm in case.arms}


def test_branches_are_evaluated_one_after_the_other() -> None:
    """In fan-out, a point at each branch fires when that branch is done and the next not begun."""
    case = next(case for case in shipped("fan-out").cases if case.params["width"] == 2)

    assert [node.name for node in case.pipeline.nodes] == [
        "branch.0",
        "rectify.0",
        "branch.1",
        "rectify.1",
        "merge",
    ]
    assert case.arm("async").sites == ("merge",)
    assert case.arm("async@rectify+merge").sites == ("rectify.0", "rectify.1", "merge")


def test_overlap_points_stand_before_the_host_work() -> None:
    """In host-overlap and live, ASYNC comes at the end of the segment and the other work after it."""
    for name in ("host-overlap", "live"):
        case = shipped(name).cases[0]
        names = [node.name for node in case.pipeline.nodes]
        assert case.arm("async").sites == ("rectify",)
        assert names.index("rectify") < names.index("other")
        assert case.pipeline.node("other").inputs == ("source",)


def test_withheld_points_stand_on_both_sides_of_the_bin() -> None:
    """Before it, after it, after it with the states, and none."""
    arms = arms_of("withheld", bin=256)

    assert arms["async@filter"].sites == ("filter",)
    assert arms["async"].sites == ("rectify",)
    assert arms["async+state"].state
    assert arms["off"].sites == ()


def test_chain_depth_compares_every_node_from_two_nodes_on() -> None:
    """With one node, every node is the tail."""
    assert "async@every-node" not in arms_of("chain-depth", depth=1)
    assert len(arms_of("chain-depth", depth=16)["async@every-node"].sites) == 16
