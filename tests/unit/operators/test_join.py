"""Branches that come together."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import pytest

from placement_cli.operators.operator import Features


def test_the_sum_of_two_is_the_function_of_mlx(stream: Any) -> None:
    """Nothing stands between the caller and the primitive."""
    assert stream("join", shapes=[(4, 2)] * 2).unit.step is mx.add


@pytest.mark.parametrize("count", [2, 3, 64])
def test_all_branches_are_added(stream: Any, count: int) -> None:
    """The sum of so many ones is their number, in one kernel less."""
    node = stream("join", shapes=[(1, 1)] * count)
    assert node.unit.step(*[mx.ones((1, 1))] * count).item() == count
    assert node.features.kernels == count - 1


def test_channels_stand_side_by_side_in_order(stream: Any) -> None:
    """The first branch has the first channels."""
    node = stream("join", {"kind": "concat"}, [(1, 2), (1, 1)])
    assert node.unit.step(mx.array([[1.0, 2.0]]), mx.array([[3.0]])).tolist() == [[1.0, 2.0, 3.0]]
    assert node.features == Features(1, 1, 0.0, 24.0, 0, (1, 3))
