"""What the harness costs, against a loop written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.bench import harness
from placement_cli.bench.harness import CHECKED, HarnessCost, harness_costs
from placement_cli.errors import InternalError


def test_each_checked_scenario_is_compared(engine: Any) -> None:
    """The tool's time of a message and the bare loop's are told with their ratio, over fresh processes."""
    engine.cost["harness"] = 1.01
    engine.noise = 0.1
    costs = harness_costs(6, engine.spawn, 0, engine.folder)
    assert [cost.scenario for cost in costs] == [name for name, _ in CHECKED]
    for cost in costs:
        assert cost.ratio == pytest.approx(1.01)
        assert cost.tool_s / cost.bare_s == pytest.approx(1.01)
        assert cost.interval is not None
        assert (cost.interval.low, cost.interval.high) == pytest.approx((1.01, 1.01))
        assert cost.ok
    assert (engine.workers, engine.open_workers) == (12, 0)


def test_tool_and_loop_take_turns_in_going_first(engine: Any) -> None:
    """Half of the processes begin with the tool, half with the loop."""
    harness_costs(6, engine.spawn, 0, engine.folder)
    firsts = [said["tool_first"] for do, said in engine.asked if do == "harness"]
    assert firsts == [True, False] * 6


def test_few_processes_have_no_interval(engine: Any) -> None:
    """A ratio over two processes has no interval."""
    assert all(cost.interval is None for cost in harness_costs(2, engine.spawn, 0, engine.folder))


@pytest.mark.parametrize(("ratio", "ok"), [(1.0, True), (1.0199, True), (1.021, False), (0.985, True), (0.97, False)])
def test_the_limit_holds_in_both_directions(ratio: float, ok: bool) -> None:
    """A tool that seems faster than the loop by more than the limit is as wrong as one that is slower."""
    assert HarnessCost("s", 1.0, 1.0, ratio, None).ok is ok


def test_a_scenario_with_several_cases_is_a_fault_of_the_program(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check compares one case, the one that has a hand-written twin."""
    monkeypatch.setattr(harness, "CHECKED", (("call-cost", ("ops=1,3",)),))
    with pytest.raises(InternalError, match="expects one case, and there are 2"):
        harness_costs(1, engine.spawn, 0, engine.folder)
