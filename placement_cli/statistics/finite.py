"""The one check every number goes through before it is reasoned about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Numbers = Sequence[float] | NDArray[np.float64]
"""A row of numbers, as lists or as a one-dimensional array."""


def finite(values: Numbers, what: str) -> NDArray[np.float64]:
    """Return `values` as a one-dimensional float array.

    `what` names them in the error. Raises ValueError when there are none, when they are not one row, and when
    one is NaN or infinite: a missing number must be dropped by whoever knows why it is missing.
    """
    row = np.asarray(values, dtype=np.float64)
    if row.ndim != 1 or not row.size:
        raise ValueError(f"{what}: expected a row of at least one number, got shape {row.shape}")
    if not np.isfinite(row).all():
        where = int(np.flatnonzero(~np.isfinite(row))[0])
        raise ValueError(f"{what}: number {where + 1} of {row.size} is {row[where]}")
    return row


def positive(values: Numbers, what: str) -> NDArray[np.float64]:
    """Return `values` as `finite` does; raises ValueError when one is not above zero."""
    row = finite(values, what)
    if (row <= 0).any():
        where = int(np.flatnonzero(row <= 0)[0])
        raise ValueError(f"{what}: number {where + 1} of {row.size} is {row[where]}, not above zero")
    return row
