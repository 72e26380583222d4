"""Power per frequency."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from placement_cli.operators.spectrum import taper


@pytest.mark.parametrize("samples", [1, 2, 3, 64])
def test_the_window_has_unit_energy(samples: int) -> None:
    """A column whose squares add up to one, for a single sample too."""
    window = taper(samples)
    assert window.shape == (samples, 1)
    assert np.sum(window**2) == pytest.approx(1.0)


def test_a_sine_shows_at_its_frequency(stream: Any) -> None:
    """Eight periods in the message are the ninth row, counted from frequency zero."""
    node = stream("spectrum", shapes=[(64, 1)])
    sine = np.sin(2 * np.pi * 8 * np.arange(64) / 64)[:, None]
    power = np.asarray(node.unit.step(mx.array(sine)))
    assert power.shape == (33, 1)
    assert int(np.argmax(power)) == 8


def test_white_noise_has_the_power_of_its_variance(stream: Any) -> None:
    """Averaged over channels and inner frequencies it is the variance, 1."""
    node = stream("spectrum", shapes=[(64, 500)])
    assert np.asarray(node.unit.step(*node.messages()))[1:-1].mean() == pytest.approx(1.0, abs=0.1)


def test_a_stack_of_no_windows_has_the_shape_of_no_spectra(stream: Any) -> None:
    """Frequencies and channels are there, windows are not."""
    node = stream("spectrum", shapes=[(2, 16, 3)])
    assert node.unit.step(mx.zeros((0, 16, 3))).shape == (0, 9, 3)
    assert stream("spectrum").unit.step(mx.zeros((0, 3))).shape == (0, 3)
