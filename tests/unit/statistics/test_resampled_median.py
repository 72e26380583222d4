"""The exact distribution of a resampled median, against simulation and by hand."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.resampled_median import abs_median_quantile


def by_counting(pool: list[float], draws: int, share: float) -> float:
    """Return the quantile by listing every possible row of draws."""
    sizes = sorted(abs(float(np.median(row))) for row in product(pool, repeat=draws))
    return sizes[int(np.ceil(share * len(sizes) - 1e-9)) - 1]


@given(
    st.lists(st.floats(-10, 10), min_size=1, max_size=4),
    st.integers(1, 5),
    st.sampled_from([0.25, 0.5, 0.9, 0.95, 1.0]),
)
@settings(deadline=None)
def test_agrees_with_counting(pool: list[float], draws: int, share: float) -> None:
    """The quantile is that of all possible rows of draws, ties and all."""
    assert abs_median_quantile(pool, draws, share) == pytest.approx(by_counting(pool, draws, share), abs=1e-12)


@pytest.mark.parametrize("draws", [6, 9, 12, 20])
def test_agrees_with_simulation(draws: int) -> None:
    """The share of simulated medians within the quantile is the share asked for, within simulation error."""
    rng = np.random.default_rng(11)
    pool = rng.standard_t(2, 12)
    quantile = abs_median_quantile(pool, draws, 0.95)
    medians = np.abs(np.median(rng.choice(pool, (20_000, draws)), axis=1))
    assert np.mean(medians <= quantile + 1e-12) >= 0.95 - 0.006
    assert np.mean(medians < quantile - 1e-12) <= 0.95 + 0.006


@pytest.mark.parametrize(("draws", "share"), [(0, 0.95), (6, 0.0), (6, 1.5)])
def test_impossible_quantiles_are_refused(draws: int, share: float) -> None:
    """No draws, and shares outside zero to one, are refused."""
    with pytest.raises(ValueError, match="quantile of the median"):
        abs_median_quantile([1.0], draws, share)
