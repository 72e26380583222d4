"""Arrays that units keep: weights, filter matrices, first states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mlx.core as mx
import numpy as np

if TYPE_CHECKING:
    from placement_cli.operators.operator import Shape


def constant(values: Any, dtype: str = "float32") -> mx.array:
    """Return `values` (a NumPy array or what makes one) as elements of `dtype`.

    MLX copies them at once, so that there is nothing left to evaluate, and no call that could wait for the
    device. It gets single precision, for Metal knows no other.
    """
    return mx.array(np.asarray(values, dtype=np.float32), dtype=getattr(mx, dtype))


def zeros(shape: Shape, dtype: str = "float32") -> mx.array:
    """Return zeros likewise; an array without elements belongs to no graph either."""
    return constant(np.zeros(shape, dtype=np.float32), dtype)
