"""The percentile bootstrap: repeatable, within its values, absent for few of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.bootstrap import bootstrap_interval


def test_seed_repeats() -> None:
    """The same seed gives the same interval and leaves NumPy's global state alone."""
    values = np.random.default_rng(1).normal(size=12).tolist()
    state = np.random.get_state(legacy=False)
    assert bootstrap_interval(values, seed=3) == bootstrap_interval(values, seed=3)
    assert np.random.get_state(legacy=False)["state"]["pos"] == state["state"]["pos"]


def test_too_few_values_have_none() -> None:
    """Where the exact interval does not exist, the bootstrap claims none either."""
    assert bootstrap_interval([1.0, 2.0, 3.0, 4.0, 5.0]) is None


def test_level_is_nominal() -> None:
    """The coverage stated is the level asked for."""
    interval = bootstrap_interval([float(v) for v in range(12)], level=0.9, draws=200)
    assert interval is not None
    assert interval.coverage == 0.9


def test_no_draws_are_refused() -> None:
    """An interval from no draws is refused."""
    with pytest.raises(ValueError, match="at least one draw"):
        bootstrap_interval([1.0] * 6, draws=0)


def test_covers_about_as_often_as_it_says() -> None:
    """With 20 skewed values the nominal 95 % interval covers the median in 90 % of the trials at least."""
    rows = np.random.default_rng(5).lognormal(0, 1, (300, 20))
    intervals = [bootstrap_interval(row, draws=400) for row in rows]
    assert sum(seen is not None and seen.low <= 1 <= seen.high for seen in intervals) / 300 > 0.9


@given(st.lists(st.floats(-1e3, 1e3), min_size=6, max_size=20))
@settings(deadline=None, max_examples=50)
def test_stays_within_the_values(values: list[float]) -> None:
    """No end of the interval lies outside the values."""
    interval = bootstrap_interval(values, draws=200)
    assert interval is not None
    assert min(values) <= interval.low <= interval.high <= max(values)
