"""The distribution of the median of values drawn with replacement, worked out instead of simulated.

The k-th smallest of n draws from m sorted values is one of the first i when at least k draws are: a binomial
tail. An odd n needs just that. For an even n = 2k the median is the mean of the k-th and (k+1)-th smallest
draws. They are the values i < j when k draws fall on the first i with one on i itself, and k on those from j
on with one on j:

    C(n, k) [(i/m)^k - ((i-1)/m)^k] [((m-j+1)/m)^k - ((m-j)/m)^k]

and the same value i with whatever probability remains of the k-th being i.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.statistics.finite import Numbers, finite

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROUNDING = 1e-9
"""How far a sum of probabilities may fall short of a share by rounding alone."""


def abs_median_quantile(pool: Numbers, draws: int, share: float) -> float:
    """Return the `share`-quantile of |median of `draws` values drawn from `pool` with replacement|.

    Exact: the smallest value that at least `share` of all possible draws do not exceed. Meant for up to a few
    hundred draws. Raises ValueError on NaN, infinite or no values, fewer than one draw, or a share outside 0
    to 1.
    """
    if draws < 1 or not 0 < share <= 1:
        raise ValueError(f"no {share}-quantile of the median of {draws} draws")
    row = np.sort(finite(pool, "values to draw from"))
    sizes = np.abs((row[:, None] + row[None, :]) / 2).ravel()
    by_size = np.argsort(sizes, kind="stable")
    below = np.cumsum(_middle_pair(row.size, draws).ravel()[by_size])
    index = int(np.searchsorted(below, share - ROUNDING))
    return float(sizes[by_size[min(index, sizes.size - 1)]])


@lru_cache(maxsize=256)
def _middle_pair(values: int, draws: int) -> NDArray[np.float64]:
    """Return the probability that the two middle draws are the values at rank (row, column); read-only."""
    half = (draws + 1) // 2
    up_to = np.arange(values + 1) / values
    lower = np.diff(_at_least(half, draws, up_to))
    pairs = np.diag(lower)
    if draws % 2 == 0:
        top_is, bottom_is = np.diff(up_to**half), np.diff(up_to**half)[::-1]
        pairs = np.triu(comb(draws, half) * np.outer(top_is, bottom_is), 1)
        np.fill_diagonal(pairs, lower - pairs.sum(axis=1))
    pairs.setflags(write=False)
    return pairs


def _at_least(count: int, draws: int, chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return P(Binomial(draws, chance) >= count) for each chance."""
    tail = np.zeros_like(chance)
    for k in range(count, draws + 1):
        tail += comb(draws, k) * chance**k * (1 - chance) ** (draws - k)
    return tail
