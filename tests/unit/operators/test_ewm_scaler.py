"""The adaptive standard scaler."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Any

import mlx.core as mx
import numpy as np
import pytest

from placement_cli.operators.catalog import OPERATORS, check_params
from placement_cli.operators.ewm_scaler import fading

if TYPE_CHECKING:
    from numpy.typing import NDArray


def bias_corrected(x: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Scores whose averages begin with nothing and are divided by the weight of what was seen."""
    mean = square = weight = np.zeros(x.shape[1])
    scores = np.zeros_like(x)
    for k, sample in enumerate(x):
        mean = (1 - alpha) * mean + alpha * sample
        square = (1 - alpha) * square + alpha * sample**2
        weight = (1 - alpha) * weight + alpha
        variance = square / weight - (mean / weight) ** 2
        scores[k] = np.where(variance > 0, (sample - mean / weight) / np.sqrt(np.abs(variance) + 1e-300), 0.0)
    return scores


def test_a_step_is_followed_to_63_percent_after_one_time_constant() -> None:
    """The weight of the newest sample is 1 - exp(-1 / time constant)."""
    alpha = fading(check_params(OPERATORS["ewm_scaler"], {"time_constant": 40}))
    assert 1 - (1 - alpha) ** 40 == pytest.approx(1 - exp(-1))


def test_after_a_few_time_constants_scores_are_those_without_any_history(stream: Any) -> None:
    """The assumed history of mean 0 and mean square 1 is forgotten, whatever the signal's own are."""
    node = stream("ewm_scaler", {"time_constant": 20}, [(50, 2)])
    x = 0.3 + 0.2 * np.random.default_rng(1).normal(size=(500, 2))
    got = np.concatenate([np.asarray(node.unit.step(mx.array(part))) for part in np.split(x, 10)])
    np.testing.assert_allclose(got[-100:], bias_corrected(x, fading(node.checked))[-100:], atol=1e-3)


def test_the_first_sample_is_scored_against_mean_0_and_mean_square_1(stream: Any) -> None:
    """Nothing special happens at the first message; both implementations begin alike."""
    node = stream("ewm_scaler", {"time_constant": 10}, [(1, 1)])
    alpha = fading(node.checked)
    mean, square = alpha * 2.0, 1 - alpha + alpha * 4.0
    want = (2.0 - mean) / np.sqrt(square - mean**2)
    assert node.unit.step(mx.array([[2.0]])).item() == pytest.approx(want, rel=1e-5)
    assert node.reference.step(np.array([[2.0]])).item() == pytest.approx(want, rel=1e-12)


def test_the_state_is_the_two_averages(stream: Any) -> None:
    """Mean and mean square of each channel, side by side."""
    node = stream("ewm_scaler", {"time_constant": 10}, [(1, 1)])
    alpha = fading(node.checked)
    node.unit.step(mx.array([[3.0]]))
    (averages,) = node.unit.state()
    np.testing.assert_allclose(np.asarray(averages), [[alpha * 3.0, 1 - alpha + alpha * 9.0]], rtol=1e-6)


@pytest.mark.parametrize("value", [0.0, 5.0])
def test_a_constant_channel_has_scores_near_zero(stream: Any, value: float) -> None:
    """Rounding errors are not blown up to scores once the variance is gone."""
    node = stream("ewm_scaler", {"time_constant": 5}, [(50, 1)])
    for _ in range(20):
        scores = node.unit.step(mx.full((50, 1), value))
    assert float(np.max(np.abs(np.asarray(scores)))) < 0.01


def test_a_mean_of_thirty_deviations_leaves_three_digits(stream: Any) -> None:
    """The loss of precision through the difference of averages is as the documentation says."""
    node = stream("ewm_scaler", {"time_constant": 100}, [(64, 2)])
    random = np.random.default_rng(0)
    for _ in range(60):
        x = (30.0 + random.normal(size=(64, 2))).astype(np.float32)
        got, want = node.unit.step(mx.array(x)), node.reference.step(x.astype(np.float64))
    np.testing.assert_allclose(np.asarray(got), want, atol=4e-3)


@pytest.mark.parametrize("lengths", [[30, 64, 47, 1] * 60, [1024] * 12, [1] * 500])
def test_long_streams_agree_with_scipy(stream: Any, lengths: list[int]) -> None:
    """Averages do not drift away over many messages, with the longest time constant either."""
    for time_constant in (1.0, 1000.0, 1e5):
        assert stream("ewm_scaler", {"time_constant": time_constant}, [(max(lengths), 2)]).worst(lengths) < 1
