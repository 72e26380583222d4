"""Two runs that were not measured side by side: how their processes' values compare, and what may be said of it.

A pair of runs stored at different times shares nothing that could cancel, so there is one value an independent process
on either side and no pairing. The ratio is exp of the Hodges-Lehmann estimate: the median of all m n differences of
logarithms, new less base (Hodges and Lehmann, Annals of Mathematical Statistics 34, 1963). Its interval goes from the
k-th smallest to the k-th largest of these differences, k from the null distribution of the Mann-Whitney statistic U
(Lehmann, same volume; Hollander and Wolfe, Nonparametric Statistical Methods, section 4.3): if both sides are alike but
for a factor, it covers that factor with probability 1 - 2 P(U <= k - 1), whatever the distribution. Equal values only
raise the coverage. So the interval at 99 % is clear of one exactly when p <= 1 % where no values are equal.

    slower        p < 1 %, the 99 % interval above zero, and the estimate beyond the floor
    faster        the same below zero
    same          the whole interval inside the floor, in either direction
    inconclusive  anything else, and always below 5 values a side

The floor is 5 %, or 3 times the spread between days where that is known (`placement_cli.comparing.spread`, which widens
it for how few the days are): two runs of one set-up, hours apart, differ by more than their own blocks show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, exp, floor, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

from placement_cli.statistics import wording
from placement_cli.statistics.finite import Numbers, positive
from placement_cli.statistics.order_statistics import Interval
from placement_cli.statistics.verdict import VerdictKind

LEVEL = 0.99
"""Level of the interval and, less one, of the test that a stored run is judged by."""
LEAST_FLOOR = log1p(0.05)
"""Smallest log ratio that may be claimed between stored runs."""
SPREAD_FACTOR = 3.0
"""Times the spread between days that a change must exceed, where that spread is known."""
FEWEST_VALUES = 5
"""Values on either side, the fewest of which anything is said: many on the other side do not stand in for them."""
MOST_VALUES = 400
"""Longer rows stand in by as many of their quantiles, which can only widen the interval."""
MOST_EXACT = 50
"""Up to so many values a side the ranks are those of the exact distribution, beyond of its normal limit."""


@dataclass(frozen=True, slots=True)
class TwoSample:
    """How new compares with base: `log_ratio` above zero is slower, or more; `interval` is that of `log_ratio`.

    The interval is None where there are too few values for one at its level. `p_value` is that of the two-sided
    Mann-Whitney test.
    """

    log_ratio: float
    interval: Interval | None
    p_value: float
    n_base: int
    n_new: int

    @property
    def ratio(self) -> float:
        """New over base."""
        return exp(self.log_ratio)

    @property
    def ratio_interval(self) -> Interval | None:
        """The interval of the ratio."""
        seen = self.interval
        return seen and Interval(exp(seen.low), exp(seen.high), seen.coverage)


@dataclass(frozen=True, slots=True)
class StoredFloor:
    """What a change between stored runs must exceed, as a log ratio; `spread` set it, where that is not None."""

    value: float
    spread: float | None = None

    def words(self) -> str:
        """Return the floor and what set it: `6.2 % (3 times the spread of 2.0 % between days)`."""
        if self.spread is None:
            return f"{wording.size(self.value)} (the least between stored runs)"
        times = (
            f"{SPREAD_FACTOR:g} times the spread of {wording.size(self.spread)} between days, widened for their number"
        )
        return f"{wording.size(self.value)} ({times})"


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """What may be said about two stored runs, which clause of the rule decided, and a sentence part that says why."""

    kind: VerdictKind
    clause: str
    reason: str


def stored_floor(spread: float | None = None, min_effect: float = 0.0) -> StoredFloor:
    """Return the floor between stored runs: the largest of 5 %, `min_effect` (a share) and 3 times `spread`.

    `spread` is that of the log medians of runs on different days, widened for their number; None where it is not known.
    """
    least = max(LEAST_FLOOR, log1p(min_effect))
    if spread is not None and SPREAD_FACTOR * spread > least:
        return StoredFloor(SPREAD_FACTOR * spread, spread)
    return StoredFloor(least)


def two_sample(base: Numbers, new: Numbers, level: float = LEVEL) -> TwoSample:
    """Return how `new` compares with `base`: values of independent processes, all above zero, in any order.

    Raises ValueError on values that are NaN, infinite or not above zero, on none, and for a level outside 0 to 1.
    """
    one, other = _logs(base, "values of the base"), _logs(new, "values of the new run")
    differences = np.sort(np.subtract.outer(other, one), axis=None)
    rank = rank_of_differences(one.size, other.size, level)
    interval = rank and Interval(float(differences[rank - 1]), float(differences[-rank]), _coverage(one, other, rank))
    return TwoSample(
        log_ratio=float(np.median(differences)),
        interval=interval or None,
        p_value=_p_value(one, other),
        n_base=len(base),
        n_new=len(new),
    )


def judge_stored(seen: TwoSample, floor: StoredFloor) -> StoredVerdict:
    """Return what may be said about `seen` where a change must exceed `floor`; it is advisory, whatever it says."""
    interval = seen.interval
    if interval is None or min(seen.n_base, seen.n_new) < FEWEST_VALUES:
        few = f"{seen.n_base} and {seen.n_new} values are too few: it takes {FEWEST_VALUES} on either side"
        return StoredVerdict(VerdictKind.INCONCLUSIVE, "too-few", few)
    words = f"{wording.spread(interval)}, p = {seen.p_value:.2g}"
    if interval.inside(-floor.value, floor.value):
        return StoredVerdict(VerdictKind.SAME, "inside-floor", f"{words}: all of it within {floor.words()}")
    if interval.low <= 0 <= interval.high or seen.p_value >= 1 - LEVEL:
        return StoredVerdict(VerdictKind.INCONCLUSIVE, "not-clear", f"{words}: not clear of zero")
    if abs(seen.log_ratio) <= floor.value:
        within = f"{words}: clear of zero, but not beyond the floor of {floor.words()}"
        return StoredVerdict(VerdictKind.INCONCLUSIVE, "below-floor", within)
    kind = VerdictKind.SLOWER if seen.log_ratio > 0 else VerdictKind.FASTER
    return StoredVerdict(kind, "clear-and-beyond", f"{words}: clear of zero and beyond {floor.words()}")


def rank_of_differences(m: int, n: int, level: float = LEVEL) -> int | None:
    """Return the largest k whose interval, k-th smallest to k-th largest difference of m by n values, holds `level`.

    None when not even the whole range does, as with 4 values on either side at 99 %. Raises ValueError for a level
    that is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not {level}")
    tail, found = (1 - level) / 2, None
    if max(m, n) > MOST_EXACT:
        from scipy.stats import norm

        rank = floor(m * n / 2 - 0.5 + _deviation(m, n) * float(norm.ppf(tail)))
        return rank if rank >= 1 else None
    for rank, below in enumerate(_below(m, n), start=1):
        if below > tail:
            break
        found = rank
    return found


def _coverage(base: Numbers, new: Numbers, rank: int) -> float:
    m, n = len(base), len(new)
    if max(m, n) <= MOST_EXACT:
        return 1 - 2 * _below(m, n)[rank - 1]
    from scipy.stats import norm

    return 1 - 2 * float(norm.cdf((rank - 0.5 - m * n / 2) / _deviation(m, n)))


def _deviation(m: int, n: int) -> float:
    return sqrt(m * n * (m + n + 1) / 12)


@lru_cache(maxsize=256)
def _below(m: int, n: int) -> Sequence[float]:
    """Return P(U <= k) of the Mann-Whitney statistic of m by n values for k from 0 to m n / 2.

    U has the generating function prod (1 - q^(n+i)) / (1 - q^i) over i from 1 to m, a Gaussian binomial coefficient
    (Mann and Whitney, Annals of Mathematical Statistics 18, 1947); its coefficients are whole numbers.
    """
    size = m * n // 2 + 1
    counts = [1] + [0] * (size - 1)
    for factor in range(1, m + 1):
        for power in range(size - 1, n + factor - 1, -1):
            counts[power] -= counts[power - n - factor]
        for power in range(factor, size):
            counts[power] += counts[power - factor]
    total, so_far, shares = comb(m + n, m), 0, []
    for count in counts:
        so_far += count
        shares.append(so_far / total)
    return tuple(shares)


def _logs(values: Numbers, what: str) -> NDArray[np.float64]:
    row = np.log(positive(values, what))
    if row.size <= MOST_VALUES:
        return row
    return np.quantile(row, (np.arange(MOST_VALUES) + 0.5) / MOST_VALUES)


def _p_value(base: NDArray[np.float64], new: NDArray[np.float64]) -> float:
    from scipy.stats import mannwhitneyu

    both = np.concatenate([base, new])
    distinct = np.unique(both).size
    if distinct == 1:
        return 1.0
    exact = distinct == both.size and max(base.size, new.size) <= MOST_EXACT
    return float(mannwhitneyu(new, base, method="exact" if exact else "asymptotic").pvalue)
