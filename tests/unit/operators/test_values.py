"""The message as a NumPy array."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np

from placement_cli.operators.operator import Features


def test_values_are_there_when_it_returns(stream: Any, pending: Any) -> None:
    """Everything upstream is forced, and NumPy looks at the same bytes."""
    lazy = mx.negative(mx.ones((5, 3)))
    result = stream("values").unit.step(lazy)
    assert isinstance(result, np.ndarray)
    assert pending(lazy) == []
    assert not result.flags.owndata
    np.testing.assert_array_equal(result, -1.0)


def test_nothing_is_built_where_numpy_knows_the_type(stream: Any) -> None:
    """A view of the buffer costs no op."""
    for dtype in ("float32", "float16"):
        assert stream("values", shapes=[(5, 3)], dtype=dtype).features == Features(0, 0, 0.0, 0.0, 0, (5, 3))


def test_bfloat16_is_converted_first(stream: Any) -> None:
    """One kernel reads two and writes four bytes an element."""
    node = stream("values", shapes=[(5, 3)], dtype="bfloat16")
    assert node.features == Features(1, 1, 0.0, 90.0, 0, (5, 3))
    assert node.unit.step(*node.messages()).dtype == np.float32
