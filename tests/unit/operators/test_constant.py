"""Arrays that units keep."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from placement_cli.operators.constant import constant, zeros
from placement_cli.operators.operator import ITEM_BYTES


@pytest.mark.parametrize("dtype", ITEM_BYTES)
def test_a_constant_is_there_at_once(pending: Any, dtype: str) -> None:
    """It has the element type asked for and leaves nothing to evaluate."""
    array = constant(np.array([[0.5, 2.0]]), dtype)
    assert pending(array) == []
    assert array.dtype == getattr(mx, dtype)
    assert array.itemsize == ITEM_BYTES[dtype]
    assert array.tolist() == [[0.5, 2.0]]


@pytest.mark.parametrize("shape", [(0, 3), (0, 5, 3), (2, 3)])
def test_zeros_belong_to_no_graph(pending: Any, shape: tuple[int, ...]) -> None:
    """Not even the array without elements is lazy."""
    assert pending(zeros(shape)) == []
    assert zeros(shape).shape == shape
