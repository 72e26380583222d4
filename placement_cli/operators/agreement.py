"""How far values computed in a short element type may be from the reference in double precision."""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING, Any

import mlx.core as mx
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPACING = {"float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
"""Distance from 1 to the next number of each element type."""
ROUNDINGS = 8.0
"""Errors of so many spacings of numbers near 1 are allowed whatever the size of the values."""


def tolerance(dtype: str) -> tuple[float, float]:
    """Return (relative, absolute) tolerance for values computed in elements of `dtype`.

    Relative to the largest value of a message half of the digits must be right, the usual measure for results
    with some cancellation on the way. The absolute part is for messages whose values are small differences of
    values of unit scale.
    """
    return sqrt(SPACING[dtype]), ROUNDINGS * SPACING[dtype]


def disagreement(got: Any, want: Any, dtype: str) -> float:
    """Return the largest error of `got` against the reference `want`, as a multiple of what is tolerated.

    Both are messages (MLX, NumPy or anything NumPy takes). Tolerated is the relative tolerance times the
    largest value of `want`, plus the absolute one. At most 1: they agree. Infinite where shapes differ or
    values are not finite; 0 for messages without elements.
    """
    values, reference = as_float64(got), as_float64(want)
    if values.shape != reference.shape:
        return inf
    if not reference.size:
        return 0.0
    relative, absolute = tolerance(dtype)
    allowed = absolute + relative * float(np.max(np.abs(reference)))
    error = float(np.max(np.abs(values - reference)))
    return error / allowed if np.isfinite(error) else inf


def as_float64(message: Any) -> NDArray[np.float64]:
    """Return the values of a message in double precision, waiting for them; bfloat16 included."""
    if isinstance(message, mx.array):
        message = message.astype(mx.float32)
    return np.asarray(message, dtype=np.float64)
