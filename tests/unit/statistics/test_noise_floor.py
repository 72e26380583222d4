"""The noise floor of a control and the floor an effect must exceed."""

from math import inf, log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.noise_floor import EffectFloor, FloorSource, effect_floor, noise_floor

RATIOS = st.lists(st.floats(-0.5, 0.5), min_size=1, max_size=20)


def test_covers_medians_of_identical_code() -> None:
    """About 95 % of medians of fresh blocks lie within the floor found from other blocks, on average."""
    rng = np.random.default_rng(2)
    within = []
    for _ in range(300):
        control, fresh = rng.standard_t(3, (2, 12)) * 0.01
        within.append(abs(np.median(fresh)) <= noise_floor(control, 12))
    assert 0.88 < np.mean(within) < 0.99


def test_shrinks_with_more_blocks() -> None:
    """The median of more blocks is less noisy."""
    control = np.random.default_rng(0).normal(0, 0.02, 12)
    floors = [noise_floor(control, n) for n in (6, 12, 20)]
    assert floors == sorted(floors, reverse=True)


def test_one_sided_bursts_are_no_bias() -> None:
    """Three bursts that hit the same side raise the floor no more than bursts on either side."""
    quiet = [0.001 * k for k in range(-4, 5)]
    assert noise_floor([*quiet, 0.3, 0.3, 0.3], 12) == noise_floor([*quiet, 0.3, -0.3, 0.3], 12)


def test_a_bias_is_not_hidden() -> None:
    """A control that is always 5 % off has a floor of 5 %."""
    assert noise_floor([0.05] * 12, 12) == pytest.approx(0.05)


def test_few_controls_are_drawn_towards_the_suite() -> None:
    """Six of 12 controls make half of the floor, 12 all of it, none nothing of it."""
    control = [0.01, -0.02, 0.03, -0.01, 0.02, 0.04]
    own = noise_floor(control, 6)
    assert noise_floor(control, 6, suite_floor=0.01) == pytest.approx((own + 0.01) / 2)
    assert noise_floor(control * 2, 12, suite_floor=9.0) == noise_floor(control * 2, 12)
    assert noise_floor([], 12, suite_floor=0.02) == 0.02


def test_no_controls_and_no_suite_are_refused() -> None:
    """Nothing to tell the noise from is an error, not a floor of zero."""
    with pytest.raises(ValueError, match="at least one number"):
        noise_floor([], 12)
    with pytest.raises(ValueError, match="suite floor"):
        noise_floor([], 12, suite_floor=float("nan"))


@given(RATIOS, st.integers(1, 20))
@settings(deadline=None)
def test_does_not_depend_on_which_is_which(control: list[float], n_blocks: int) -> None:
    """Swapping A and A' leaves the floor as it is, and no floor exceeds the largest ratio."""
    floor = noise_floor(control, n_blocks)
    assert floor == noise_floor([-ratio for ratio in control], n_blocks)
    assert 0 <= floor <= max(abs(ratio) for ratio in control)


@given(RATIOS, st.floats(0.1, 10))
@settings(deadline=None)
def test_scales_with_the_noise(control: list[float], factor: float) -> None:
    """Twice the noise gives twice the floor."""
    scaled = noise_floor([factor * ratio for ratio in control], 12)
    assert scaled == pytest.approx(factor * noise_floor(control, 12), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("noise", "quantum", "value", "source"),
    [
        (0.0, 0.0, log1p(0.03), FloorSource.MIN_EFFECT),
        (0.019, 0.0, log1p(0.03), FloorSource.MIN_EFFECT),
        (0.04, 0.0, 0.06, FloorSource.NOISE),
        (0.04, 0.2, log1p(0.2), FloorSource.TIMER),
    ],
)
def test_largest_limit_decides(noise: float, quantum: float, value: float, source: FloorSource) -> None:
    """The floor is the largest of the three limits and names it."""
    floor = effect_floor(0.03, noise, quantum)
    assert floor.value == pytest.approx(value)
    assert (floor.source, floor.noise, floor.asked) == (source, noise, log1p(0.03))


def test_noise_never_widens_what_counts_as_the_same() -> None:
    """The margin is what was asked for, however high noise lifts the floor."""
    assert effect_floor(0.03, noise=0.2).margin == log1p(0.03)
    assert EffectFloor(0.05, FloorSource.NOISE, 0.03).margin == 0.05


@pytest.mark.parametrize("bad", [-0.01, float("nan"), inf])
def test_impossible_limits_are_refused(bad: float) -> None:
    """Negative, infinite and missing limits are refused."""
    with pytest.raises(ValueError, match="from zero up"):
        effect_floor(bad)
    with pytest.raises(ValueError, match="noise floor"):
        effect_floor(noise=bad)
    with pytest.raises(ValueError, match="timer quantum"):
        effect_floor(timer_quantum=bad)
