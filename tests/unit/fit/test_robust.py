"""Fitting positive prices to times."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from numpy.testing import assert_allclose

from placement_cli.fit.robust import Data, Prior, Ties, expectation, fit_prices

PRIORS = {"a": Prior(None, 1.0, 3.0), "b": Prior("a", 2.0, 1.0), "c": Prior("b", 0.5, 1.0)}
TIES = Ties.of(PRIORS, ("a", "b", "c"))


def data(prices: tuple[float, float, float], columns: int = 3, rows: int = 60, seed: int = 0) -> Data:
    """Times of random amounts, of the first `columns` terms only."""
    amounts = np.random.default_rng(seed).uniform(0.1, 5, (rows, 3))
    amounts[:, columns:] = 0
    return Data(amounts, amounts @ np.array(prices), np.arange(rows, dtype=np.intp) // 6)


def test_exact_times_give_the_prices_back() -> None:
    """Without noise the fit finds prices that make up much of the times, though the priors expect others."""
    assert_allclose(fit_prices(data((0.5, 5.0, 1.0)), TIES).prices, [0.5, 5.0, 1.0], rtol=0.05)


def test_start_only_saves_time() -> None:
    """Where a fit begins does not change where it ends."""
    times = data((0.01, 5.0, 0.3))

    assert_allclose(
        fit_prices(times, TIES, np.array([2.0, -3.0, 1.0])).prices, fit_prices(times, TIES).prices, rtol=1e-3
    )


def test_a_few_wild_times_hardly_matter() -> None:
    """One time in ten that is five times too long moves prices by little."""
    clean = data((0.5, 1.0, 2.0), rows=120)
    seconds = clean.seconds.copy()
    seconds[::10] *= 5

    assert_allclose(fit_prices(Data(clean.amounts, seconds, clean.groups), TIES).prices, [0.5, 1.0, 2.0], rtol=0.2)


def test_shared_slowness_of_a_group_is_not_taken_for_a_price() -> None:
    """Configurations measured while the machine was slow or fast leave prices where they are."""
    clean = data((0.5, 1.0, 2.0), rows=240)
    speed = np.random.default_rng(1).lognormal(0, 0.2, 40)
    fit = fit_prices(Data(clean.amounts, clean.seconds * speed[clean.groups], clean.groups), TIES)

    assert_allclose(fit.prices / fit.prices[0], [1, 2, 4], rtol=0.15)


def test_a_term_without_amounts_follows_its_parent() -> None:
    """A price that no timing contains keeps its ratio to the price it is tied to, and is loose."""
    fit = fit_prices(data((0.5, 3.0, 99.0), columns=2), TIES)

    assert fit.prices[2] == pytest.approx(0.5 * fit.prices[1], rel=1e-3)
    assert fit.looseness[2] == pytest.approx(1.0, abs=1e-6)
    assert fit.looseness[1] < 0.2
    assert fit.deviations[2] == pytest.approx(1.0, rel=0.05)


def test_priors_are_solved_by_their_start() -> None:
    """Without data the best prices are the ratios multiplied along the ties."""
    assert_allclose(np.exp(TIES.start), [1.0, 2.0, 1.0])
    assert_allclose(TIES.matrix @ TIES.start - TIES.offset, 0, atol=1e-12)


def test_parents_come_first() -> None:
    """A prior tied to one that comes later, or to none known, is refused."""
    with pytest.raises(KeyError):
        Ties.of(PRIORS, ("b", "a"))
    with pytest.raises(KeyError):
        Ties.of(PRIORS, ("b",))


def test_a_timing_of_nothing_is_refused() -> None:
    """A time without any amount cannot be explained."""
    with pytest.raises(ValueError, match="consists of something"):
        fit_prices(Data(np.zeros((1, 3)), np.ones(1), np.zeros(1, dtype=np.intp)), TIES)


def test_expectations_are_worded() -> None:
    """A prior says in words what it expects."""
    assert expectation(PRIORS["b"]) == "2 times a"
    assert expectation(PRIORS["a"]) == "1"


def test_chosen_rows_keep_their_groups() -> None:
    """A subset of timings keeps amounts, seconds and groups together."""
    times = data((1.0, 1.0, 1.0))
    some = times.chosen(np.array([50, 3, 3], dtype=np.intp))

    assert some.groups.tolist() == [8, 0, 0]
    assert_allclose(some.seconds, some.amounts.sum(axis=1))


def test_the_order_of_timings_does_not_matter() -> None:
    """Shuffled timings give the same prices."""
    times = data((0.5, 1.0, 2.0))
    order = np.random.default_rng(2).permutation(times.seconds.size).astype(np.intp)

    assert_allclose(fit_prices(times.chosen(order), TIES).prices, fit_prices(times, TIES).prices, rtol=1e-6)


def test_deviations_are_those_of_repeated_experiments() -> None:
    """The stated standard deviation of a price is about the spread of fits to noisy repeats."""
    clean = data((0.5, 1.0, 2.0), rows=60)
    generator = np.random.default_rng(3)
    fits = [
        fit_prices(Data(clean.amounts, clean.seconds * generator.lognormal(0, 0.1, 60), clean.groups), TIES)
        for _ in range(40)
    ]
    spread = np.log([fit.prices for fit in fits]).std(axis=0)

    assert np.all(np.abs(np.log(spread / fits[0].deviations)) < np.log(exp(0.7)))
