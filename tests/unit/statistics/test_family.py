"""Holm's step-down and the lean of a run's controls."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.family import holm, holm_adjusted, lean

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_worked_example() -> None:
    """Four p-values are adjusted by 4, 3, 2 and 1, and stay in the order given."""
    assert holm_adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.01, 0.04, 0.03, 0.005]) == [True, False, False, True]


def test_no_cases_no_flags() -> None:
    """A family of no cases has no p-values to adjust."""
    assert holm([]) == []


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_impossible_p_values_are_refused(bad: float) -> None:
    """What is not a probability is refused."""
    with pytest.raises(ValueError, match="p-values"):
        holm([bad])


def test_family_error_stays_at_alpha() -> None:
    """Over 40 cases without any effect, one run in twenty at most has a flag."""
    families = np.random.default_rng(4).random((2000, 40))
    assert np.mean([any(holm(list(row))) for row in families]) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 2000)


@given(P_VALUES)
@settings(deadline=None)
def test_adjustment_keeps_order_and_never_helps(p_values: list[float]) -> None:
    """Adjusted p-values are no smaller than the raw ones, at most 1, and in the same order."""
    adjusted = holm_adjusted(p_values)
    assert all(raw <= p <= 1 for raw, p in zip(p_values, adjusted, strict=True))
    by_raw = [p for _, p in sorted(zip(p_values, adjusted, strict=True))]
    assert by_raw == sorted(by_raw)


@given(P_VALUES)
@settings(deadline=None)
def test_at_least_as_powerful_as_bonferroni(p_values: list[float]) -> None:
    """What survives division by the number of cases survives Holm."""
    flags = holm(p_values)
    assert all(flag for p, flag in zip(p_values, flags, strict=True) if p * len(p_values) <= 0.05)


def test_controls_on_one_side_lean() -> None:
    """Ten controls that are all slower lean; the direction and size are reported."""
    seen = lean([0.01, 0.02, 0.01, 0.03, 0.005, 0.01, 0.02, 0.04, 0.01, 0.02])
    assert seen.leans
    assert (seen.up, seen.down, seen.cases) == (10, 0, 10)
    assert seen.median == pytest.approx(0.015)


def test_few_controls_cannot_lean() -> None:
    """Seven controls on one side happen by chance more often than one time in a hundred."""
    assert not lean([0.01] * 7).leans
    assert lean([0.01] * 8).leans


def test_clean_runs_seldom_lean() -> None:
    """Without a bias one run in a hundred at most is called leaning."""
    runs = np.random.default_rng(9).standard_t(2, (3000, 25))
    assert np.mean([lean(row).leans for row in runs]) < 0.01 + 4 * np.sqrt(0.01 * 0.99 / 3000)
