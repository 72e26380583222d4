"""Shares with exact bounds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from placement_cli.statistics.rates import rate


def test_nothing_seen_still_has_a_bound() -> None:
    """No false alarm in 239 trials bounds the rate at about 1.5 % two-sided."""
    seen = rate(0, 239)
    assert (seen.count, seen.trials, seen.rate, seen.low) == (0, 239, 0.0, 0.0)
    assert seen.high == pytest.approx(1 - 0.025 ** (1 / 239))


def test_always_seen() -> None:
    """What always happened has an upper bound of one."""
    seen = rate(5, 5)
    assert seen.low == pytest.approx(0.025 ** (1 / 5))
    assert (seen.rate, seen.high) == (1.0, 1.0)


@pytest.mark.parametrize(("count", "trials"), [(0, 0), (-1, 5), (6, 5)])
def test_impossible_shares_are_refused(count: int, trials: int) -> None:
    """No trials, and counts outside them, are refused."""
    with pytest.raises(ValueError, match="is not a share"):
        rate(count, trials)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@settings(deadline=None, max_examples=60)
def test_agrees_with_an_independent_implementation(seen: tuple[int, int]) -> None:
    """The bounds are those of SciPy's exact binomial interval."""
    count, trials = seen
    expected = binomtest(count, trials).proportion_ci(0.95, method="exact")
    found = rate(count, trials)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert found.low <= found.rate <= found.high
