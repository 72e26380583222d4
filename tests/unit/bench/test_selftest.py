"""Verdicts on an arm against itself, and against itself made slower."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.bench.run import Method
from placement_cli.bench.selftest import TWIN, SelfTest, self_test
from placement_cli.bench.watch import Nobody


def run_test(engine: Any, verdicts: int, inject: float = 0.0, stages: tuple[int, ...] = (6, 12, 20)) -> SelfTest:
    """A self-test on the engine."""
    return self_test(verdicts, inject, Method(stages=stages), engine.bench(), Nobody(), engine.folder)


def test_equal_arms_raise_no_alarm(engine: Any) -> None:
    """Of verdicts on equal arms none is faster or slower, and the bound says how sure that is."""
    engine.noise = 0.005
    found = run_test(engine, 6)
    assert len(found.verdicts) == 6
    assert (found.flagged.count, found.flagged.trials, found.flagged.low) == (0, 6, 0.0)
    assert found.flagged.high == pytest.approx(0.459, abs=0.001)
    assert (found.inject, list(found.reasons)) == (0.0, [])
    assert 6 <= found.blocks <= 20


def test_a_difference_between_equal_arms_is_an_alarm(engine: Any) -> None:
    """Faster and slower are both false alarms, and each is told with its reason."""
    engine.cost[TWIN] = 0.5
    found = run_test(engine, 2)
    assert list(found.verdicts) == ["faster", "faster"]
    assert found.flagged.count == 2
    assert len(found.reasons) == 2


def test_an_injected_slowness_is_caught(engine: Any) -> None:
    """Only slower counts as caught."""
    engine.cost[TWIN] = 1.05
    found = run_test(engine, 4, inject=0.05)
    assert (found.flagged.count, found.flagged.rate, found.inject) == (4, 1.0, 0.05)
    engine.cost[TWIN] = 0.9
    assert run_test(engine, 2, inject=0.05).flagged.count == 0


def test_the_workers_are_told_to_inject(engine: Any) -> None:
    """The twin alone is slowed, by the share asked for."""
    run_test(engine, 1, inject=0.05, stages=(6,))
    told = {said["arm"]["name"]: said["arm"]["inject"] for do, said in engine.asked if do == "prepare"}
    assert told == {"async": 0.0, TWIN: 0.05}


def test_verdicts_come_from_different_work_and_fresh_processes(engine: Any) -> None:
    """Every group of cases has its own processes in every block, and its work differs."""
    run_test(engine, 5, stages=(6,))
    prepared = [said["case"] for do, said in engine.asked if do == "prepare"]
    assert len({case["id"] for case in prepared}) == 5
    assert len({str(case["pipeline"]) for case in prepared}) == 4
    assert engine.workers == 2 * 6 * 3
    assert engine.open_workers == 0


def test_each_group_has_its_own_seed(engine: Any) -> None:
    """Data and order are not those of the group before."""
    run_test(engine, 5, stages=(6,))
    seeds = {said["case"]["scenario"]: said["seed"] for do, said in engine.asked if do == "prepare"}
    assert len(set(seeds.values())) == 2
