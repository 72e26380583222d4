"""The dense matrix across channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from placement_cli.operators.affine import weights
from placement_cli.operators.operator import Features


def test_weights_have_as_many_outputs_as_asked_for() -> None:
    """0 stands for as many as inputs."""
    assert weights((9, 4), {"outputs": 7}, 0).shape == (4, 7)
    assert weights((9, 4), {"outputs": 0}, 0).shape == (4, 4)


def test_weights_are_drawn_from_the_seed() -> None:
    """Another seed gives other weights."""
    assert np.any(weights((9, 4), {"outputs": 0}, 1) != weights((9, 4), {"outputs": 0}, 2))


def test_outputs_are_about_as_large_as_inputs(stream: Any) -> None:
    """The variance of white noise is kept on average."""
    node = stream("affine", shapes=[(200, 100)])
    assert 0.9 < np.asarray(node.unit.step(*node.messages())).std() < 1.1


def test_the_product_is_counted(stream: Any) -> None:
    """(5, 3) @ (3, 7): two operations a multiply-add; weights, message and output are moved."""
    features = stream("affine", {"outputs": 7}, [(5, 3)]).features
    assert features == Features(1, 1, 2.0 * 5 * 3 * 7, 4.0 * (15 + 21 + 35), 0, (5, 7))
