"""All ways of computing one product, predicted and measured."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.plan import BlockPlan
from placement_cli.blocks.planner import choose
from placement_cli.errors import ScenarioFailed
from placement_cli.planning.comparison import (
    CANNOT,
    FEWEST_ROUNDS,
    MOST_ROUNDS,
    LengthPlan,
    measured,
    predicted,
    with_upstream,
)
from placement_cli.profile.defaults import shipped_profile

PRICE = shipped_profile("numpy-1-thread-float32").price


@pytest.fixture
def weights(banks: Any) -> Any:
    """Eight equal blocks."""
    return banks([64] * 8)


@pytest.fixture
def length(weights: Any) -> LengthPlan:
    """The predicted ways for chunks of 30 samples."""
    return predicted(find_structure(weights), 30, PRICE, "numpy")


@pytest.fixture
def theirs(weights: Any) -> BlockPlan:
    """A plan that the planner here did not think of."""
    plan = choose(find_structure(weights), 100_000, PRICE)[0].plan
    return replace(plan, notes=("not ours",))


def test_predictions_are_the_planners_with_names_of_their_own(weights: Any, length: LengthPlan) -> None:
    """The cheapest comes first, the dense product is among them, and nothing was measured."""
    choices = choose(find_structure(weights), 30, PRICE)
    assert [each.plan for each in length.alternatives] == [choice.plan for choice in choices]
    assert [each.predicted for each in length.alternatives] == [choice.predicted_s for choice in choices]
    assert length.best is length.alternatives[0]
    assert length.dense.formulation.kind == "dense"
    names = [each.name for each in length.alternatives]
    assert len(set(names)) == len(names) > 2
    assert {each.times for each in length.alternatives} == {None}


def test_measuring_sorts_and_compares_with_dense(length: LengthPlan, weights: Any, fake_timer: Any) -> None:
    """The fastest measured comes first, each with its time over the dense one."""
    names = [each.name for each in length.alternatives]
    timer = fake_timer({name: 1e-3 * (10 - at) for at, name in enumerate(names)})
    found = measured(length, weights, timer)
    assert [each.name for each in found.alternatives] == names[::-1]
    dense = found.dense.times.seconds
    for each in found.alternatives:
        assert each.times.seconds == pytest.approx(timer.seconds[each.name])
        ratio, interval = each.ratio
        assert ratio == pytest.approx(each.times.seconds / dense)
        assert interval.low <= ratio <= interval.high
    assert found.upstream is None
    assert found.over_plan is None


@pytest.mark.parametrize(("seconds", "rounds"), [(1e-6, MOST_ROUNDS), (1.0, FEWEST_ROUNDS)])
def test_long_products_have_fewer_rounds(
    length: LengthPlan, weights: Any, fake_timer: Any, seconds: float, rounds: int
) -> None:
    """Enough for an interval, and no more than a short time takes."""
    timer = fake_timer(dict.fromkeys([each.name for each in length.alternatives], seconds))
    measured(length, weights, timer)
    assert timer.rounds_taken == rounds


def test_what_cannot_run_has_a_problem_and_comes_last(length: LengthPlan, weights: Any, fake_timer: Any) -> None:
    """It was the cheapest by price, and is no plan here."""
    found = measured(length, weights, fake_timer({length.best.name: None}))
    last = found.alternatives[-1]
    assert (last.plan, last.problem, last.times, last.ratio) == (length.best.plan, CANNOT, None, None)
    assert found.best.problem is None


def test_without_a_dense_time_there_are_no_ratios(length: LengthPlan, weights: Any, fake_timer: Any) -> None:
    """Where the dense product cannot run the others are still timed."""
    found = measured(length, weights, fake_timer({"dense": None}))
    assert found.best.times is not None
    assert {each.ratio for each in found.alternatives} == {None}


def test_upstreams_choice_is_timed_beside_ours(
    length: LengthPlan, theirs: BlockPlan, weights: Any, fake_timer: Any
) -> None:
    """Its time over that of the best is how much longer it takes."""
    asked = with_upstream(length, theirs, PRICE)
    timer = fake_timer({each.name: 2e-3 for each in length.alternatives})
    found = measured(asked, weights, timer)
    assert timer.cases[0].plans[-1] == theirs
    assert found.upstream.predicted == PRICE(theirs.formulation, 30)
    assert found.upstream.times.seconds == pytest.approx(1e-3)
    assert found.over_plan[0] == pytest.approx(0.5)


def test_upstreams_dense_product_is_ours(length: LengthPlan, weights: Any, fake_timer: Any) -> None:
    """None of theirs is the dense product, which is timed once."""
    timer = fake_timer({"dense": 4e-3})
    found = measured(with_upstream(length, None, PRICE), weights, timer)
    assert len(timer.cases[0].plans) == len(length.alternatives)
    assert found.upstream.plan == length.dense.plan
    assert found.over_plan[0] == pytest.approx(4.0)


def test_a_product_that_differs_is_an_error(length: LengthPlan, weights: Any, fake_timer: Any) -> None:
    """What the timer refuses is not compared."""

    class Refusing(fake_timer):
        def load(self, case: Any) -> Any:
            """Refuse."""
            raise ScenarioFailed("loop computes something else")

    with pytest.raises(ScenarioFailed):
        measured(length, weights, Refusing())


def test_the_case_is_the_one_planned_for(length: LengthPlan, weights: Any, fake_timer: Any) -> None:
    """The timer is given the weights and the length of the chunk."""
    timer = fake_timer()
    measured(length, weights, timer)
    (case,) = timer.cases
    assert case.samples == 30
    np.testing.assert_array_equal(case.weights, weights)
