"""Two independent rows of processes: the estimate, its exact interval, and what may be said of stored runs."""

from math import log, log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.order_statistics import Interval
from placement_cli.statistics.two_sample import (
    LEAST_FLOOR,
    MOST_EXACT,
    MOST_VALUES,
    TwoSample,
    judge_stored,
    rank_of_differences,
    stored_floor,
    two_sample,
)
from placement_cli.statistics.verdict import VerdictKind

ROWS = st.lists(st.floats(1e-6, 1e6), min_size=5, max_size=14)


def seen(log_ratio: float, low: float, high: float, p_value: float = 0.002) -> TwoSample:
    """A comparison of twelve values a side that came out like this."""
    return TwoSample(log_ratio, Interval(low, high, 0.991), p_value, 12, 12)


@pytest.mark.parametrize(
    ("m", "n", "level", "rank"), [(5, 5, 0.95, 3), (8, 8, 0.95, 14), (10, 10, 0.95, 24), (6, 6, 0.99, 3)]
)
def test_ranks_match_published_tables(m: int, n: int, level: float, rank: int) -> None:
    """One more than the critical value of the Mann-Whitney table: 2 for 5 by 5, 13 for 8 by 8, 23 for 10 by 10."""
    assert rank_of_differences(m, n, level) == rank


def test_too_few_values_have_no_interval() -> None:
    """At 99 % it takes 5 values on either side."""
    assert rank_of_differences(4, 4) is None
    assert rank_of_differences(5, 5) == 1
    few = two_sample([1.0, 1.1, 1.2, 1.3], [2.0, 2.1, 2.2, 2.3])
    assert few.interval is None
    assert judge_stored(few, stored_floor()).clause == "too-few"
    lopsided = two_sample([1.0, 1.1, 1.2, 1.3], [2 + n / 100 for n in range(50)])
    assert lopsided.interval is not None
    assert judge_stored(lopsided, stored_floor()).clause == "too-few"


def test_the_limit_joins_the_exact_ranks() -> None:
    """Where the normal limit takes over, ranks go on as they went."""
    exact, beyond = (rank_of_differences(n, n) or 0 for n in (MOST_EXACT, MOST_EXACT + 1))
    assert 0.02 < beyond / exact - 1 < 0.08


def test_level_outside_zero_to_one_is_refused() -> None:
    """A level is a share, not a percentage."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        two_sample([1.0] * 6, [1.0] * 6, level=99)


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), float("inf")])
def test_values_without_a_logarithm_are_refused(bad: float) -> None:
    """Zero, negative, NaN and infinity have no ratio."""
    with pytest.raises(ValueError, match="values of the new run: number 2 of 2"):
        two_sample([1.0, 2.0], [1.0, bad])


@given(ROWS, ROWS, st.floats(0.01, 100))
@settings(deadline=None, max_examples=50)
def test_scaling_one_side_scales_the_ratio(base: list[float], new: list[float], factor: float) -> None:
    """Twice the times give twice the ratio; the same factor on both sides changes nothing."""
    plain, scaled = two_sample(base, new), two_sample(base, [factor * value for value in new])
    both = two_sample([factor * value for value in base], [factor * value for value in new])
    assert scaled.log_ratio == pytest.approx(plain.log_ratio + log(factor), abs=1e-9)
    assert both.log_ratio == pytest.approx(plain.log_ratio, abs=1e-9)


@given(ROWS, ROWS)
@settings(deadline=None, max_examples=50)
def test_swapping_the_sides_turns_everything_round(base: list[float], new: list[float]) -> None:
    """The ratio inverts with its interval, and slower becomes faster."""
    one, other = two_sample(base, new), two_sample(new, base)
    assert other.log_ratio == pytest.approx(-one.log_ratio, abs=1e-12)
    assert other.p_value == pytest.approx(one.p_value)
    assert one.interval is not None
    assert other.interval is not None
    assert (other.interval.low, other.interval.high) == pytest.approx(
        (-one.interval.high, -one.interval.low), abs=1e-12
    )
    turned = {VerdictKind.SLOWER: VerdictKind.FASTER, VerdictKind.FASTER: VerdictKind.SLOWER}
    kinds = [judge_stored(each, stored_floor()).kind for each in (one, other)]
    assert kinds[1] == turned.get(kinds[0], kinds[0])


@given(st.sets(st.integers(1, 10**6), min_size=12, max_size=24), st.randoms())
@settings(deadline=None, max_examples=50)
def test_interval_and_test_agree(values: set[int], random: object) -> None:
    """Without equal values the 99 % interval is clear of no change exactly when p is at most 1 %."""
    row = sorted(values)
    random.shuffle(row)  # type: ignore[attr-defined]  # hypothesis names no type for it
    found = two_sample(row[:6], row[6:])
    assert found.interval is not None
    assert (found.interval.low > 0 or found.interval.high < 0) == (found.p_value <= 0.01)


@pytest.mark.parametrize(("m", "n"), [(6, 6), (12, 20), (60, 60)])
def test_the_interval_covers_as_often_as_it_says(m: int, n: int) -> None:
    """On heavy-tailed values it holds the true factor with its stated coverage, within four standard errors."""
    rng, trials, truth = np.random.default_rng(7), 1000, log(1.1)
    covered, stated = 0, 0.0
    for _ in range(trials):
        base, new = np.exp(0.02 * rng.standard_t(3, m)), 1.1 * np.exp(0.02 * rng.standard_t(3, n))
        interval = two_sample(base, new).interval
        assert interval is not None
        covered, stated = covered + (interval.low <= truth <= interval.high), interval.coverage
    assert abs(covered / trials - stated) < 4 * np.sqrt(stated * (1 - stated) / trials)


def test_false_alarms_are_rare() -> None:
    """Of clean pairs of runs with 10 % noise, well under 1 % are claimed slower or faster."""
    rng, claimed = np.random.default_rng(11), 0
    for _ in range(400):
        base, new = np.exp(0.1 * rng.standard_normal((2, 12)))
        verdict = judge_stored(two_sample(base, new), stored_floor())
        claimed += verdict.kind in (VerdictKind.SLOWER, VerdictKind.FASTER)
    assert claimed <= 8


def test_equal_values_are_no_change() -> None:
    """Bytes that repeat exactly give the interval of one point, p of one and `same`."""
    found = two_sample([4096.0] * 6, [4096.0] * 6)
    assert (found.ratio, found.p_value) == (1.0, 1.0)
    assert judge_stored(found, stored_floor()).kind is VerdictKind.SAME


def test_bytes_that_double_exactly_are_claimed() -> None:
    """Ties within either side are no obstacle."""
    found = two_sample([4096.0] * 6, [8192.0] * 6)
    assert judge_stored(found, stored_floor()).kind is VerdictKind.SLOWER
    assert found.ratio_interval is not None
    assert found.ratio_interval.low == pytest.approx(2.0)


def test_long_rows_stand_in_by_quantiles() -> None:
    """A row of 100,000 values is reduced, its ratio kept and its interval no narrower than allowed."""
    row = np.exp(np.random.default_rng(3).normal(0, 0.05, 100_000))
    found = two_sample(row, 1.2 * row[:50_000])
    assert found.ratio == pytest.approx(1.2, rel=0.01)
    assert (found.n_base, found.n_new) == (100_000, 50_000)
    assert found.interval is not None
    assert found.interval.high - found.interval.low > 0.05 / np.sqrt(MOST_VALUES)


def test_the_floor_is_the_largest_of_three() -> None:
    """5 %, the smallest change asked for, and 3 times the spread between days."""
    assert stored_floor().value == stored_floor(0.01, 0.02).value == LEAST_FLOOR
    assert stored_floor(0.01, 0.2).value == log1p(0.2)
    assert stored_floor(0.05, 0.02).value == pytest.approx(0.15)
    assert "3 times the spread of 5.1 % between days" in stored_floor(0.05).words()


@pytest.mark.parametrize(
    ("found", "kind", "clause"),
    [
        (seen(0.10, 0.07, 0.12), "slower", "clear-and-beyond"),
        (seen(-0.10, -0.12, -0.07), "faster", "clear-and-beyond"),
        (seen(0.01, -0.02, 0.03, 0.4), "same", "inside-floor"),
        (seen(0.04, 0.01, 0.07), "inconclusive", "below-floor"),
        (seen(0.10, -0.01, 0.2, 0.02), "inconclusive", "not-clear"),
        (seen(0.10, 0.01, 0.2, 0.02), "inconclusive", "not-clear"),
    ],
)
def test_every_clause_of_the_rule(found: TwoSample, kind: str, clause: str) -> None:
    """What is clear and beyond the floor is claimed, what lies inside it is the same, and nothing else is said."""
    verdict = judge_stored(found, stored_floor())
    assert (verdict.kind, verdict.clause) == (kind, clause)
    assert "99.1 % interval" in verdict.reason
