"""Drift within a block: significant and large, or not at all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.drift import DRIFT_CHANGE, drifts

ORDER = ["a", "b", "b", "a"] * 3


def block(positions: "np.typing.NDArray[np.float64]", slow_arm: float = 1.0) -> dict[str, list[float]]:
    """Deal out the times by position to the arms, arm b being slower by a factor."""
    seen: dict[str, list[float]] = {"a": [], "b": []}
    for arm, seconds in zip(ORDER, positions, strict=True):
        seen[arm].append(float(seconds) * (slow_arm if arm == "b" else 1.0))
    return seen


def test_rising_block_drifts() -> None:
    """Samples that rise by 20 % over the block drift, and the change is reported."""
    seen = drifts(block(np.linspace(1.0, 1.2, 12)), ORDER)
    assert seen.found
    assert seen.rho > 0.9
    assert seen.change > DRIFT_CHANGE


def test_falling_block_drifts_too() -> None:
    """A clock that speeds up is a drift as well."""
    seen = drifts(block(np.linspace(1.2, 1.0, 12)), ORDER)
    assert seen.found
    assert seen.rho < -0.9
    assert seen.change < 0


def test_slow_arm_is_no_drift() -> None:
    """An arm ten times slower than the other is no trend."""
    rng = np.random.default_rng(0)
    assert not drifts(block(1 + 0.01 * rng.random(12), slow_arm=10.0), ORDER).found


def test_slow_arm_does_not_hide_drift() -> None:
    """The trend shows although the arms differ tenfold."""
    assert drifts(block(np.linspace(1.0, 1.3, 12), slow_arm=10.0), ORDER).found


def test_small_trend_is_harmless() -> None:
    """A perfect trend of 1 % is significant and not a drift."""
    seen = drifts(block(np.linspace(1.0, 1.01, 12)), ORDER)
    assert not seen.found
    assert seen.rho > 0.9


def test_burst_at_the_end_is_no_trend() -> None:
    """Two samples hit by a burst at the end are a change without a trend."""
    positions = np.array([1.01, 1.0, 1.02, 1.0, 1.01, 1.0, 1.02, 1.0, 1.01, 0.99, 3.0, 3.0])
    assert not drifts(block(positions), ORDER).found


def test_constant_block_does_not_drift() -> None:
    """Equal samples have no correlation to speak of."""
    seen = drifts(block(np.ones(12)), ORDER)
    assert (seen.found, seen.rho, seen.change) == (False, 0.0, 0.0)


def test_too_few_samples_cannot_drift() -> None:
    """Five samples in a row say nothing, however steep."""
    assert not drifts({"a": [1.0, 2.0, 3.0, 4.0, 5.0]}, ["a"] * 5).found


def test_order_must_match_the_samples() -> None:
    """An order that names other samples than there are is refused."""
    with pytest.raises(ValueError, match="the order names"):
        drifts({"a": [1.0, 2.0]}, ["a", "b"])


def test_quiet_blocks_seldom_drift() -> None:
    """Without a trend, noise of 10 % is called drift about one time in a hundred at most."""
    rows = np.random.default_rng(3).lognormal(0, 0.1, (1500, 12))
    assert np.mean([drifts(block(row), ORDER).found for row in rows]) < 0.01 + 4 * np.sqrt(0.01 * 0.99 / 1500)


@given(st.lists(st.floats(0.5, 2.0), min_size=12, max_size=12), st.floats(0.01, 100))
@settings(deadline=None, max_examples=50)
def test_unit_does_not_matter(times: list[float], unit: float) -> None:
    """Another unit changes neither the change nor, up to rounding of ties, the correlation."""
    positions = np.round(np.array(times), 3)
    seen, scaled = drifts(block(positions), ORDER), drifts(block(positions * unit), ORDER)
    assert scaled.change == pytest.approx(seen.change, abs=1e-9)
