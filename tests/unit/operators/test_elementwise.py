"""Rectifier, scaling and common average reference."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np

from placement_cli.operators.operator import Features


def test_abs_is_the_function_of_mlx(stream: Any) -> None:
    """Nothing stands between the caller and the primitive."""
    assert stream("abs").unit.step is mx.abs


def test_abs_reads_and_writes_every_element_once(stream: Any) -> None:
    """Features are those of one elementwise kernel."""
    assert stream("abs", shapes=[(5, 3)]).features == Features(1, 1, 15.0, 120.0, 0, (5, 3))


def test_scale_multiplies_before_it_adds(stream: Any) -> None:
    """x * gain + offset."""
    node = stream("scale", {"gain": 2, "offset": -1})
    np.testing.assert_array_equal(np.asarray(node.unit.step(mx.array([[3.0, 0.0]]))), [[5.0, -1.0]])


def test_car_leaves_no_mean_over_channels(stream: Any) -> None:
    """Every sample is referred to its own mean."""
    node = stream("car", shapes=[(4, 5)])
    np.testing.assert_allclose(np.asarray(node.unit.step(*node.messages())).mean(axis=1), 0.0, atol=1e-6)
