"""How good the planner's choices are, with products that take the time a test gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from placement_cli.blocks.competitors import competing_plans
from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.planner import choose, plan_block_matmul
from placement_cli.planning.comparison import UpstreamPlanner
from placement_cli.planning.timing import TIMED
from placement_cli.planning.trial import (
    FEWEST_ROUNDS,
    LONGEST_DENSE_S,
    MOST_ROUNDS,
    Planner,
    Trial,
    gain_over_theirs,
    regrets,
    run_trial,
    trial_ranges,
)
from placement_cli.profile.defaults import shipped_profile

PRICE = shipped_profile("numpy-1-thread-float32").price


def trial(first: Sequence[float], others: Sequence[float] | None = None, **more: Any) -> Trial:
    """Four rounds that take `first` and four that take `others`, the last plan dense, the first two by price."""
    rounds = np.array([list(first)] * 4 + [list(others or first)] * 4, dtype=np.float64)
    facts: dict[str, Any] = {"top": (0, 1), "dense": len(first) - 1} | more
    return Trial("product", 30, tuple(f"plan {number}" for number in range(len(first))), rounds, **facts)


def planner(theirs: UpstreamPlanner | None = None) -> Planner:
    """The planner by the recorded prices of NumPy."""
    return Planner(PRICE, "numpy", theirs)


@pytest.fixture
def weights(banks: Any) -> Any:
    """Eight equal blocks."""
    return banks([16] * 8)


def test_the_estimate_is_judged_by_all_rounds() -> None:
    """How much longer the cheapest by price takes than the fastest of all plans."""
    assert trial([1.0, 2.0, 4.0]).estimate_regret == pytest.approx(0.0)
    assert trial([1.5, 2.0, 1.0]).estimate_regret == pytest.approx(0.5)
    assert trial([2.0, 1.0, 4.0], top=(1, 0)).estimate_regret == pytest.approx(0.0)


def test_a_measured_choice_is_judged_by_rounds_it_did_not_see() -> None:
    """What was fastest by chance in the first half costs what it takes in the second."""
    lucky = trial([2.0, 1.0, 4.0], [2.0, 3.0, 4.0])
    assert lucky.measured_regret == pytest.approx(0.5)
    assert lucky.noise_regret == pytest.approx(0.5)
    assert trial([2.0, 1.0, 4.0]).measured_regret == pytest.approx(0.0)


def test_only_the_best_by_price_are_measured() -> None:
    """A fastest plan that the price put further down is missed, which choosing among all is not."""
    missed = trial([2.0, 3.0, 1.0, 4.0])
    assert missed.measured_regret == pytest.approx(1.0)
    assert missed.noise_regret == pytest.approx(0.0)


def test_always_dense_is_a_way_of_choosing_too() -> None:
    """It costs nothing where nothing is faster."""
    assert trial([1.0, 2.0, 4.0]).dense_regret == pytest.approx(3.0)
    assert trial([2.0, 3.0, 1.0]).dense_regret == pytest.approx(0.0)


def test_another_planners_choice_is_compared_round_by_round() -> None:
    """As a ratio to the estimate, with its interval; None without another planner."""
    ratio, interval = trial([1.0, 2.0, 4.0], [3.0, 6.0, 12.0], theirs=2).over_theirs or (0.0, None)
    assert ratio == pytest.approx(4.0)
    assert interval is not None
    assert interval.low == pytest.approx(interval.high) == pytest.approx(4.0)
    assert trial([1.0, 2.0]).over_theirs is None


def test_everything_that_competes_is_timed_once(weights: Any, fake_timer: Any) -> None:
    """The planner's best come first, the dense product is among the others."""
    timer = fake_timer({"dense": 5e-3})
    found = run_trial("eight", weights, 30, planner(), timer)
    structure = find_structure(weights)
    (case,) = timer.cases
    best = [choice.plan for choice in choose(structure, 30, PRICE)[:TIMED]]
    assert list(case.plans[: len(best)]) == best
    assert set(case.plans) == {*best, *competing_plans(structure, 30, PRICE)}
    assert len(set(case.plans)) == len(case.plans)
    assert (found.name, found.samples, found.theirs) == ("eight", 30, None)
    assert found.top == tuple(range(len(best)))
    assert found.names == tuple(plan.formulation.name for plan in case.plans)
    assert found.names[found.dense] == "dense"
    assert found.dense_regret == pytest.approx(4.0)


def test_no_plan_of_another_planner_is_the_dense_product(weights: Any, fake_timer: Any) -> None:
    """None means dense, which is there already."""
    timer = fake_timer({"dense": 5e-3})
    found = run_trial("eight", weights, 30, planner(lambda weights, samples: None), timer)
    assert found.theirs == found.dense
    assert found.over_theirs is not None
    assert found.over_theirs[0] == pytest.approx(5.0)
    assert [plan.formulation.name for plan in timer.cases[0].plans].count("dense") == 1


def test_an_equal_plan_is_not_timed_twice(weights: Any, fake_timer: Any) -> None:
    """Whatever notes it carries, what computes the same is the same."""

    def same(weights: Any, samples: int) -> Any:
        plan = plan_block_matmul(weights, samples, profile=PRICE)
        assert plan is not None
        return replace(plan, notes=("theirs",))

    timer = fake_timer()
    found = run_trial("eight", weights, 30, planner(same), timer)
    assert found.theirs == 0
    assert len(timer.cases[0].plans) == len(run_trial("eight", weights, 30, planner(), fake_timer()).names)


def test_another_plan_is_timed_beside_ours(weights: Any, fake_timer: Any) -> None:
    """One that nobody here thought of comes last."""
    other = choose(find_structure(np.ones((128, 128), np.float32)), 30, PRICE)[0].plan
    (run,) = other.sections[0].runs
    halves = tuple(replace(run, column_start=start, columns=64) for start in (0, 64))
    theirs = replace(other, sections=(replace(other.sections[0], runs=halves),))
    timer = fake_timer()
    found = run_trial("eight", weights, 30, planner(lambda weights, samples: theirs), timer)
    assert timer.cases[0].plans[-1] == theirs
    assert found.theirs == len(found.names) - 1


def test_a_plan_that_cannot_run_is_left_out(weights: Any, fake_timer: Any) -> None:
    """The others keep their times, and the next by price takes its place."""
    first, second = (choice.formulation.name for choice in choose(find_structure(weights), 30, PRICE)[:2])
    found = run_trial("eight", weights, 30, planner(), fake_timer({first: None, "dense": 5e-3}))
    assert first not in found.names
    assert found.names[found.top[0]] == second
    assert found.names[found.dense] == "dense"
    assert found.rounds.shape[1] == len(found.names)


def test_what_counts_as_zero_is_zero_when_it_is_timed(weights: Any, fake_timer: Any) -> None:
    """All plans compute the same product: the one without weights under the tolerance."""
    noisy = weights + np.float32(1e-4)
    timer = fake_timer()
    run_trial("eight", noisy, 30, planner(), timer, tolerance=1e-3)
    timed = timer.cases[0].weights
    assert timed.dtype == np.float32
    np.testing.assert_array_equal(timed, np.where(weights > 0, noisy, 0))
    run_trial("eight", noisy, 30, planner(), timer)
    assert timer.cases[1].weights is noisy


@pytest.mark.parametrize(("seconds", "rounds"), [(1e-6, MOST_ROUNDS), (1.0, FEWEST_ROUNDS)])
def test_long_products_have_fewer_rounds(seconds: float, rounds: int, banks: Any, fake_timer: Any) -> None:
    """As many as fit the time, within bounds."""
    timer = fake_timer({"dense": seconds})
    run_trial("one", banks([4]), 30, planner(), timer)
    assert timer.rounds_taken == rounds


def test_regrets_are_summed_up() -> None:
    """The mean, what 95 % stay below, and the worst."""
    found = regrets([trial([1.0, 2.0]), trial([3.0, 2.0, 1.0])], lambda each: each.estimate_regret)
    assert (found.mean, found.p95, found.most) == pytest.approx((1.0, 1.9, 2.0))


def test_the_gain_over_another_planner_is_a_geometric_mean() -> None:
    """Twice and half make one, with an interval over products that holds it; the same every time."""
    trials = [trial([1.0, 2.0, 4.0], theirs=1), trial([2.0, 1.0, 4.0], theirs=1), trial([1.0, 2.0, 4.0])]
    middle, low, high = gain_over_theirs(trials) or (0.0, 0.0, 0.0)
    assert middle == pytest.approx(1.0)
    assert low == pytest.approx(0.5)
    assert high == pytest.approx(2.0)
    assert gain_over_theirs(trials) == (middle, low, high)
    assert gain_over_theirs(trials[2:]) is None


def test_products_are_drawn_to_the_speed_of_the_machine(fake_timer: Any) -> None:
    """The dense product of the largest takes about as long as is worth waiting for."""
    slow, fast = (trial_ranges(fake_timer({"dense": seconds})) for seconds in (1e-2, 1e-3))
    assert fast.most_macs == pytest.approx(10 * slow.most_macs)
    assert slow.most_macs == pytest.approx(64 * 512**2 / 1e-2 * LONGEST_DENSE_S)
    assert slow.channels == fast.channels == (64, 4096)
