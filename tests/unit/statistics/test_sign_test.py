"""The sign test and its agreement with the interval."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.order_statistics import median_interval
from placement_cli.statistics.sign_test import sign_p_value


@pytest.mark.parametrize(("n", "p_value"), [(6, 0.03125), (12, 2 / 2**12), (20, 2 / 2**20)])
def test_smallest_p_value(n: int, p_value: float) -> None:
    """When all lie on one side, p is two in two to the n."""
    assert sign_p_value([0.1] * n) == p_value
    assert sign_p_value([-0.1] * n) == p_value


def test_balance_is_no_evidence() -> None:
    """As many above as below, or nothing but zeros, give p = 1."""
    assert sign_p_value([1, -1, 2, -2]) == 1.0
    assert sign_p_value([0.0] * 12) == 1.0


def test_zeros_speak_for_no_difference() -> None:
    """Adding zeros to a one-sided row raises p."""
    assert sign_p_value([1.0] * 6 + [0.0] * 2) > sign_p_value([1.0] * 6)


@given(st.lists(st.sampled_from([-2.0, -1.0, 0.0, 1.0, 2.0]), min_size=6, max_size=30))
@settings(deadline=None)
def test_agrees_with_the_interval(differences: list[float]) -> None:
    """p is at most 5 % exactly when the 95 % interval is clear of zero."""
    interval = median_interval(differences)
    assert interval is not None
    assert (sign_p_value(differences) <= 0.05) == (interval.low > 0 or interval.high < 0)
