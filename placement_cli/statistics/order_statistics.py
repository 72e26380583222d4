"""The exact interval of a median from ranks alone: no assumption about the shape of the distribution.

Sort n independent values. The median lies between the r-th smallest and the r-th largest unless fewer than r
values fall on one side of it, and the number that do is binomial with p = 1/2. So the interval covers the
median with probability 1 - 2 P(Binomial(n, 1/2) <= r - 1), whatever the values are distributed like.

Equal values are kept. The interval includes its ends, so ties can only raise its coverage above the one
stated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np

from placement_cli.statistics.finite import Numbers, finite

GOOD_BLOCK_COUNTS: tuple[int, ...] = (6, 9, 12, 15, 17, 20)
"""Counts at which a 95 % interval moves one rank inwards: in between, another block widens the interval."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval, in the unit of the values it came from, and the probability that it covers."""

    low: float
    high: float
    coverage: float

    def inside(self, low: float, high: float) -> bool:
        """Say whether all of the interval lies strictly between `low` and `high`."""
        return low < self.low and self.high < high


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not {level}")


def coverage_of(n: int, rank: int) -> float:
    """Return how often the interval from the `rank`-th smallest to the `rank`-th largest of n covers the
    median."""
    if not 1 <= rank <= (n + 1) // 2:
        raise ValueError(f"rank {rank} of {n} values does not lie in their lower half")
    outside: int = sum(comb(n, fewer) for fewer in range(rank))
    return 1 - outside / (1 << (n - 1))


@lru_cache(maxsize=1024)
def rank_for(n: int, level: float = 0.95) -> int | None:
    """Return the largest 1-based rank whose interval still covers at `level`; None when none of n values
    does.

    The interval goes from the rank-th smallest to the rank-th largest. Raises ValueError when n is negative
    or `level` is not between 0 and 1.
    """
    _check_level(level)
    if n < 0:
        raise ValueError(f"there cannot be {n} values")
    found, outside, term = None, 0, 1
    for rank in range(1, (n + 1) // 2 + 1):
        outside += term
        if 1 - outside / (1 << (n - 1)) < level:
            break
        found, term = rank, term * (n - rank + 1) // rank
    return found


def fewest_values(level: float = 0.95) -> int:
    """Return the fewest values whose median has an interval at `level`: 6 for 95 %, 8 for 99 %."""
    n = 2
    while rank_for(n, level) is None:
        n += 1
    return n


def good_count(at_least: int, level: float = 0.95) -> int:
    """Return the smallest count from `at_least` on at which the interval moves one rank inwards."""
    n = max(at_least, fewest_values(level))
    while rank_for(n, level) == rank_for(n - 1, level):
        n += 1
    return n


def median_interval(values: Numbers, level: float = 0.95) -> Interval | None:
    """Return the exact interval of the median of independent `values`, with its true coverage.

    None when even the interval from the smallest to the largest covers less often than `level`, as with fewer
    than 6 values at 95 %. Raises ValueError on NaN, infinite or no values.
    """
    row = np.sort(finite(values, "values of a median interval"))
    rank = rank_for(row.size, level)
    if rank is None:
        return None
    return Interval(float(row[rank - 1]), float(row[-rank]), coverage_of(row.size, rank))
