"""The percentile bootstrap of a median: a second opinion for documents, never the one that decides.

Its true coverage is not known for few values, which is why verdicts rest on `order_statistics` alone.
"""

from __future__ import annotations

import numpy as np

from placement_cli.statistics.finite import Numbers, finite
from placement_cli.statistics.order_statistics import Interval, fewest_values


def bootstrap_interval(values: Numbers, level: float = 0.95, draws: int = 10_000, seed: int = 0) -> Interval | None:
    """Return the interval between the outer quantiles of the medians of `draws` resamples of `values`.

    `coverage` is the nominal level. The same `seed` gives the same interval. None for fewer values than the
    exact interval needs. Meant for one value a block: memory grows with draws times values. Raises ValueError
    on NaN, infinite or no values, and on fewer than one draw.
    """
    row = finite(values, "values of a bootstrap")
    if draws < 1:
        raise ValueError(f"a bootstrap needs at least one draw, not {draws}")
    if row.size < fewest_values(level):
        return None
    picks = np.random.default_rng(seed).integers(row.size, size=(draws, row.size))
    medians = np.median(row[picks], axis=1)
    low, high = np.quantile(medians, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level)
