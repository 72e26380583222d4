"""Steps over time: found where they were planted, and not where nothing moved."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.steps import FEWEST_POINTS, find_steps


@pytest.mark.parametrize("n", [10, 20, 60])
def test_a_planted_step_is_found(n: int) -> None:
    """A step of 10 % in 1 % noise is found within one position, alone, in at least 98 % of rows."""
    rng, found, trials = np.random.default_rng(n), 0, 300
    for _ in range(trials):
        place = int(rng.integers(3, n - 2))
        logs = rng.normal(0, 0.01, n)
        logs[place:] += np.log(1.1)
        steps = find_steps(1e-3 * np.exp(logs))
        found += len(steps) == 1 and abs(steps[0].index - place) <= 1
    assert found >= 0.98 * trials


@pytest.mark.parametrize("n", [6, 10, 30, 100])
@pytest.mark.parametrize("noise", ["normal", "heavy tails"])
def test_level_rows_have_none(n: int, noise: str) -> None:
    """With noise of 5 % and no step, none is told in at least 95 % of rows."""
    rng, alarms, trials = np.random.default_rng(n), 0, 300
    for _ in range(trials):
        logs = rng.normal(0, 0.05, n) if noise == "normal" else 0.03 * rng.standard_t(3, n)
        alarms += bool(find_steps(np.exp(logs)))
    assert alarms <= 0.05 * trials


def test_levels_are_told() -> None:
    """A step carries the medians before and after, and its ratio."""
    (step,) = find_steps([1.0, 1.01, 0.99, 1.0, 2.0, 2.02, 1.98, 2.0])
    assert (step.index, step.before, step.after, step.ratio) == (
        4,
        pytest.approx(1),
        pytest.approx(2),
        pytest.approx(2),
    )


def test_there_and_back_are_two_steps() -> None:
    """A regression that was fixed shows twice."""
    steps = find_steps([1.0] * 5 + [1.3] * 5 + [1.0] * 5)
    assert [step.index for step in steps] == [5, 10]


def test_one_odd_run_is_no_step() -> None:
    """It takes three runs to make a level."""
    assert find_steps([1.0] * 5 + [1.5] + [1.0] * 5) == ()


def test_last_digits_are_no_steps() -> None:
    """A row that repeats but for a fraction of a per cent has none."""
    assert find_steps([1.0] * 6 + [1.004] * 6) == ()


@given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=FEWEST_POINTS - 1))
@settings(deadline=None)
def test_few_points_have_none(medians: list[float]) -> None:
    """Fewer than six points say nothing."""
    assert find_steps(medians) == ()


@given(st.lists(st.floats(1e-9, 1e9), min_size=6, max_size=40))
@settings(deadline=None, max_examples=50)
def test_levels_hold_three_points(medians: list[float]) -> None:
    """Whatever the row, steps lie inside it and at least three points apart."""
    bounds = [0, *(step.index for step in find_steps(medians)), len(medians)]
    assert all(after - before >= 3 for before, after in pairwise(bounds))


def test_what_is_not_above_zero_is_refused() -> None:
    """A median of zero has no logarithm."""
    with pytest.raises(ValueError, match="medians over time"):
        find_steps([1.0] * 6 + [0.0])
