"""The exact interval of a median: its ranks, its coverage, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.order_statistics import (
    GOOD_BLOCK_COUNTS,
    Interval,
    coverage_of,
    fewest_values,
    good_count,
    median_interval,
    rank_for,
)

PUBLISHED = [
    (6, 1, 96.9),
    (8, 1, 99.2),
    (9, 2, 96.1),
    (12, 3, 96.1),
    (15, 4, 96.5),
    (17, 5, 95.1),
    (20, 6, 95.9),
]
"""Number of values, lower rank and coverage in percent, as tables of the sign interval give them."""


@pytest.mark.parametrize(("n", "rank", "percent"), PUBLISHED)
def test_ranks_and_coverage_match_tables(n: int, rank: int, percent: float) -> None:
    """Ranks and true coverage of the 95 % interval are those of published tables."""
    assert rank_for(n) == rank
    assert round(100 * coverage_of(n, rank), 1) == percent


def test_fewest_values_by_level() -> None:
    """A 95 % interval needs 6 values, a 99 % one needs 8."""
    assert (fewest_values(0.95), fewest_values(0.99)) == (6, 8)
    assert rank_for(5) is None
    assert rank_for(0) is None


def test_good_counts_are_where_the_rank_moves() -> None:
    """The good block counts are those up to 20 at which the 95 % interval moves a rank inwards."""
    moves = [n for n in range(2, 21) if rank_for(n) != rank_for(n - 1)]
    assert tuple(moves) == GOOD_BLOCK_COUNTS
    assert [good_count(n) for n in (1, 7, 12, 13, 16, 18)] == [6, 9, 12, 15, 17, 20]


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, 95.0])
def test_level_outside_zero_to_one_is_refused(level: float) -> None:
    """A level is a share, not a percentage."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        rank_for(12, level)


def test_impossible_ranks_and_counts_are_refused() -> None:
    """Negative counts and ranks of the upper half are refused."""
    with pytest.raises(ValueError, match="cannot be -1 values"):
        rank_for(-1)
    with pytest.raises(ValueError, match="lower half"):
        coverage_of(6, 4)


def test_interval_takes_the_ranked_values() -> None:
    """Twelve values give the interval from the third smallest to the third largest."""
    values = [float(v) for v in (5, 11, 0, 7, 3, 9, 1, 10, 4, 8, 2, 6)]
    assert median_interval(values) == Interval(2.0, 9.0, coverage_of(12, 3))


def test_too_few_values_have_no_interval() -> None:
    """Five values have no 95 % interval, whatever they are."""
    assert median_interval([1.0, 2.0, 3.0, 4.0, 5.0]) is None


def test_nan_is_refused() -> None:
    """A NaN among the values is an error, not a rank."""
    with pytest.raises(ValueError, match="number 1 of 6 is nan"):
        median_interval([float("nan"), 1, 2, 3, 4, 5])


def test_ties_are_kept() -> None:
    """Equal values give the interval of one point: bytes of memory repeat exactly."""
    interval = median_interval([2.0] * 6)
    assert interval is not None
    assert (interval.low, interval.high) == (2.0, 2.0)


def test_inside_is_strict() -> None:
    """An interval that touches a limit does not lie inside it."""
    assert Interval(-1.0, 1.0, 0.95).inside(-1.5, 1.5)
    assert not Interval(-1.0, 1.0, 0.95).inside(-1.0, 1.5)


@pytest.mark.parametrize("n", [6, 9, 12, 20])
@pytest.mark.parametrize("shape", ["lognormal", "exponential", "bursts"])
def test_coverage_on_skewed_values(n: int, shape: str) -> None:
    """On skewed values the interval covers the median as often as it says, within four standard errors."""
    rng = np.random.default_rng(20240)
    trials = 3000
    draws, median = {
        "lognormal": (rng.lognormal(0.0, 1.5, (trials, n)), 1.0),
        "exponential": (rng.exponential(1.0, (trials, n)), np.log(2)),
        "bursts": (np.abs(rng.standard_cauchy((trials, n))), 1.0),
    }[shape]
    intervals = [median_interval(row) for row in draws]
    covered = sum(seen is not None and seen.low <= median <= seen.high for seen in intervals)
    stated = coverage_of(n, rank_for(n) or 0)
    assert abs(covered / trials - stated) < 4 * np.sqrt(stated * (1 - stated) / trials)


@pytest.mark.parametrize("n", [6, 12])
def test_ties_never_cover_less(n: int) -> None:
    """Rounding values to a coarse grid, which makes ties, does not lower the coverage."""
    rng = np.random.default_rng(7)
    rows = np.round(rng.exponential(2.0, (2000, n)))
    covered = 0
    for row in rows:
        seen = median_interval(row)
        covered += seen is not None and seen.low <= 1.0 <= seen.high
    stated = coverage_of(n, rank_for(n) or 0)
    assert covered / 2000 > stated - 4 * np.sqrt(stated * (1 - stated) / 2000)


@given(st.integers(6, 400), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
@settings(deadline=None)
def test_rank_is_the_largest_that_covers(n: int, level: float) -> None:
    """One rank further in covers less often than the level, and the rank itself covers at it."""
    rank = rank_for(n, level)
    if rank is not None:
        assert coverage_of(n, rank) >= level
    further = (rank or 0) + 1
    if further <= (n + 1) // 2:
        assert coverage_of(n, further) < level


@given(st.lists(st.floats(-1e6, 1e6), min_size=6, max_size=40))
@settings(deadline=None)
def test_interval_mirrors(values: list[float]) -> None:
    """Changing every sign mirrors the interval."""
    seen, mirrored = median_interval(values), median_interval([-v for v in values])
    assert seen is not None
    assert mirrored is not None
    assert (mirrored.low, mirrored.high) == (-seen.high, -seen.low)
    assert seen.low <= float(np.median(values)) <= seen.high
