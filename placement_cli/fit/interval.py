"""From the refits of a bootstrap to a constant with an honest interval."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.profile.constant import Constant

if TYPE_CHECKING:
    from placement_cli.fit.robust import RobustFit, Vector

LOOSE_RATIO = 4.0
"""A price whose 10 and 90 % refits are further apart than this factor is not identified."""

LOOSE_TIE = 0.5
"""Nor is one whose tie to another price is still this loose, in standard deviations of its prior."""

_NINETY = 1.645
"""Standard deviations on either side of the middle that hold 90 % of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What a constant says of itself: unit, what it was fitted to, and what its prior expects."""

    unit: str
    source: str
    prior: str


def constant_of(fit: RobustFit, at: int, value: float, refits: Vector, origin: Origin) -> Constant:
    """Return a constant with the 5 and 95 % ends of its refits.

    `at` is the term whose certainty counts, `value` and `refits` the constant itself, which need not be the
    price of that term. When the timings did not determine it, the refits all lean on the same prior and would
    look far too sure: the interval is then as wide as the curvature of the loss allows.
    """
    low, p10, p90, high = (float(end) for end in np.quantile(refits, [0.05, 0.1, 0.9, 0.95]))
    if fit.looseness[at] <= LOOSE_TIE and p90 <= LOOSE_RATIO * p10:
        return Constant(value, min(low, value), max(high, value), origin.unit, True, origin.source)
    width = exp(_NINETY * float(fit.deviations[at]))
    source = f"{origin.source}, which do not determine it; expected {origin.prior}"
    return Constant(value, min(low, value / width), max(high, value * width), origin.unit, False, source)
