"""Prices per unit and paired differences, with their intervals over blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.cost import paired_difference, price_per_unit

UNITS = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
SLOPE_S, INTERCEPT_S = 2e-6, 1e-5


def lines(blocks: int, noise: float, bursts: float, seed: int) -> list[list[float]]:
    """Return noisy seconds of several blocks, a share of the samples hit by bursts."""
    rng = np.random.default_rng(seed)
    shape = (blocks, len(UNITS))
    quiet = (INTERCEPT_S + SLOPE_S * np.array(UNITS)) * rng.lognormal(0, noise, shape)
    hit = rng.random(shape) < bursts
    return [list(row) for row in np.where(hit, quiet * (1 + rng.exponential(1.0, shape)), quiet)]


@given(st.floats(-1, 1), st.floats(-1, 1), st.integers(6, 12))
@settings(deadline=None)
def test_exact_line_is_found(slope: float, intercept: float, blocks: int) -> None:
    """Seconds on a line give its slope and intercept, and an interval of no width."""
    seconds = [[intercept + slope * units for units in UNITS]] * blocks
    price = price_per_unit(UNITS, seconds)
    assert price.slope.median == pytest.approx(slope, abs=1e-9)
    assert price.intercept.median == pytest.approx(intercept, abs=1e-9)
    assert price.slope.n_blocks == blocks
    assert price.slope.interval is not None
    assert price.slope.interval.high - price.slope.interval.low == pytest.approx(0, abs=1e-9)


def test_bursts_do_not_move_the_price() -> None:
    """With one sample in ten hit by a burst the price stays within 5 % of the truth."""
    price = price_per_unit(UNITS, lines(12, noise=0.02, bursts=0.1, seed=1))
    assert price.slope.median == pytest.approx(SLOPE_S, rel=0.05)
    assert price.intercept.median == pytest.approx(INTERCEPT_S, rel=0.05)


def test_interval_covers_the_price() -> None:
    """Over 300 noisy runs the interval covers the true slope about as often as it says."""
    covered = 0
    for seed in range(300):
        interval = price_per_unit(UNITS, lines(9, noise=0.05, bursts=0.0, seed=seed)).slope.interval
        covered += interval is not None and interval.low <= SLOPE_S <= interval.high
    assert covered / 300 > 0.961 - 4 * np.sqrt(0.961 * 0.039 / 300)


def test_few_blocks_have_a_price_without_interval() -> None:
    """Three blocks give a median and no interval."""
    price = price_per_unit(UNITS, lines(3, noise=0.01, bursts=0.0, seed=0))
    assert price.slope.interval is None
    assert price.intercept.interval is None


def test_repeated_points_are_allowed() -> None:
    """The same number of units may be measured twice."""
    assert price_per_unit([1, 1, 3], [[2.0, 2.0, 6.0]]).slope.median == 2.0


def test_one_number_of_units_is_refused() -> None:
    """No slope comes from one number of units."""
    with pytest.raises(ValueError, match="two different numbers"):
        price_per_unit([4.0, 4.0], [[1.0, 1.0]])


def test_missing_points_and_blocks_are_refused() -> None:
    """A block with other points, and no blocks at all, are refused."""
    with pytest.raises(ValueError, match="holds 2 seconds for 3"):
        price_per_unit([1.0, 2.0, 3.0], [[1.0, 2.0]])
    with pytest.raises(ValueError, match="values of the blocks"):
        price_per_unit([1.0, 2.0], [])


def test_paired_difference() -> None:
    """The difference is new minus base, block by block, with its interval."""
    base = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    seen = paired_difference(base, [b + 0.5 for b in base])
    assert seen.median == pytest.approx(0.5)
    assert seen.interval is not None
    assert seen.n_blocks == 6


def test_unpaired_blocks_are_refused() -> None:
    """Arms with different numbers of blocks cannot be paired."""
    with pytest.raises(ValueError, match="2 blocks of the base arm cannot be paired with 1"):
        paired_difference([1.0, 2.0], [1.0])
