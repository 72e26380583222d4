"""How often something happened, with the bound that the number of trials allows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """`count` of `trials`, as a share, and the interval that covers the true share."""

    count: int
    trials: int
    rate: float
    low: float
    high: float


def rate(count: int, trials: int, level: float = 0.95) -> Rate:
    """Return the share with its exact two-sided interval (Clopper and Pearson, Biometrika 26, 1934).

    The bounds are quantiles of beta distributions: (1 - level) / 2 of Beta(count, trials - count + 1) and (1
    + level) / 2 of Beta(count + 1, trials - count); 0 when nothing happened, 1 when it always did. Trials
    must be independent. Raises ValueError when `count` is not from 0 to `trials`, or there are no trials.
    """
    from scipy.special import betaincinv

    if trials < 1 or not 0 <= count <= trials:
        raise ValueError(f"{count} of {trials} is not a share")
    tail = (1 - level) / 2
    low = float(betaincinv(count, trials - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, trials - count, 1 - tail)) if count < trials else 1.0
    return Rate(count, trials, count / trials, low, high)
