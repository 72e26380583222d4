"""What a fit must reach."""

from __future__ import annotations

from dataclasses import replace

import pytest

from placement_cli.fit.gate import misses_of
from placement_cli.profile.validation import Validation

GOOD = Validation(0.1, 0.4, 0.015, 0.05, 0.1, 0.96, 40, worst_fold=0.04, fold="16 block rows")


def test_a_good_fit_misses_nothing() -> None:
    """Within all limits there is nothing to say."""
    assert misses_of(GOOD) == ()
    assert misses_of(replace(GOOD, worst_fold=None, fold=None)) == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"regret_mean": 0.03}, "mean regret 3.0% is above 2.0%"),
        ({"order": 0.9}, "only 90.0% of clear pairs"),
        ({"worst_fold": 0.08}, "mean regret 8.0% on 16 block rows never seen"),
    ],
)
def test_every_limit_is_told_in_numbers(change: dict[str, float], said: str) -> None:
    """Each condition that is missed says by how much."""
    (miss,) = misses_of(replace(GOOD, **change))  # type: ignore[arg-type]  # fields of floats

    assert said in miss


def test_noise_allows_as_much_regret_as_itself() -> None:
    """Where choosing by half the timings already costs 4 %, so may the fit."""
    noisy = replace(GOOD, regret_mean=0.035, noise_floor=0.04)

    assert misses_of(noisy) == ()
    assert misses_of(replace(noisy, regret_mean=0.05)) != ()
