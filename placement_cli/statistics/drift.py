"""Does a block drift: do its samples grow or shrink with their position, whichever arm they belong to?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import expm1, log, log1p
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.statistics.finite import Numbers, positive

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

DRIFT_ALPHA = 0.01
"""A block without a trend is called drifting at most about this often, before the size of the change is
looked at."""

DRIFT_CHANGE = 0.05
"""Change from the first to the last third of a block below which it does no harm. The order of a block
cancels a linear drift between arms; what is left of one this size lies well below the 3 % people ask to
see."""

FEWEST_POSITIONS = 6
"""Below this no order of the samples is rarer than `DRIFT_ALPHA`: 5 samples rise one time in 60 by chance."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Whether a block drifts; `rho` is Spearman's correlation with position.

    `change` is the median of the last third over that of the first, minus one.
    """

    found: bool
    rho: float
    change: float


def drifts(samples_by_arm: Mapping[str, Numbers], order: Sequence[str]) -> Drift:
    """Test whether the samples of one block drift.

    `samples_by_arm` holds the samples of each arm in the order they were taken, in any one unit; `order`
    names the arm at each position of the block. Each arm is divided by its own median first, so that a slow
    arm is no trend. Drift is found when the rank correlation with position is significant *and* the change is
    large: with quiet samples a trend of 0.1 % is significant and harmless, and one burst at the end is a
    large change without a trend. The p-value of the correlation is that of Student's t, a good approximation
    from 10 positions on. Raises ValueError when `order` and the samples do not match, or samples are not
    finite and above zero.
    """
    row = _in_order(samples_by_arm, order)
    change = _change(row)
    if row.size < FEWEST_POSITIONS or np.ptp(row) == 0:
        return Drift(found=False, rho=0.0, change=expm1(change))
    from scipy.stats import spearmanr

    outcome = spearmanr(np.arange(row.size), row)
    found = float(outcome.pvalue) < DRIFT_ALPHA and abs(change) > log1p(DRIFT_CHANGE)
    return Drift(found, float(outcome.statistic), expm1(change))


def _in_order(samples_by_arm: Mapping[str, Numbers], order: Sequence[str]) -> NDArray[np.float64]:
    """Return each sample over the median of its arm, by position in the block."""
    lengths = {arm: len(samples) for arm, samples in samples_by_arm.items()}
    if Counter(order) != Counter(lengths):
        raise ValueError(f"the order names {dict(Counter(order))} samples, but there are {lengths}")
    rows = {arm: positive(samples, f"samples of {arm}") for arm, samples in samples_by_arm.items()}
    scaled = {arm: iter(row / np.median(row)) for arm, row in rows.items()}
    return np.array([next(scaled[arm]) for arm in order])


def _change(row: NDArray[np.float64]) -> float:
    """Return the log of the median of the last third over the median of the first third."""
    third = max(1, row.size // 3)
    return log(float(np.median(row[-third:])) / float(np.median(row[:third])))
