"""Prices in seconds: what one more unit costs, and what comes on top whatever the number of units.

Each block yields its own line, so a price has one value a block and an exact interval over blocks, like a
ratio. The line is Theil and Sen's: the slope is the median over all pairs of points, the intercept the median
of what is left. One sample hit by a burst moves a least-squares line by its whole size and this one hardly at
all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.statistics.finite import Numbers, finite
from placement_cli.statistics.order_statistics import Interval, median_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Estimate:
    """A median over blocks and its exact interval, in the unit of the values; None for too few blocks."""

    median: float
    interval: Interval | None
    n_blocks: int


@dataclass(frozen=True, slots=True)
class Price:
    """`slope` in seconds a unit and `intercept` in seconds for no units at all."""

    slope: Estimate
    intercept: Estimate


def estimate(values: Numbers, level: float = 0.95) -> Estimate:
    """Return the median of one value a block and its interval.

    Raises ValueError on NaN, infinite or no values.
    """
    row = finite(values, "values of the blocks")
    return Estimate(float(np.median(row)), median_interval(row, level), row.size)


def robust_line(units: NDArray[np.float64], seconds: NDArray[np.float64]) -> tuple[float, float]:
    """Return slope and intercept of Theil and Sen's line; `units` must hold two different values at least."""
    first, second = np.triu_indices(units.size, 1)
    apart = units[second] - units[first]
    rise = seconds[second] - seconds[first]
    slope = float(np.median(rise[apart != 0] / apart[apart != 0]))
    return slope, float(np.median(seconds - slope * units))


def price_per_unit(units: Numbers, seconds_by_block: Sequence[Numbers], level: float = 0.95) -> Price:
    """Return the price of one unit from seconds measured at several numbers of units.

    `units` holds the numbers of units (ops, nodes, messages), one a point. `seconds_by_block` holds one row a
    block, with the seconds at each of those points. Raises ValueError when the points are fewer than two
    different ones, when a row has another length, and on NaN, infinite or no values.
    """
    points = finite(units, "numbers of units")
    if np.unique(points).size < 2:
        raise ValueError("a price needs seconds at two different numbers of units at least")
    lines = [robust_line(points, _row(seconds, points.size)) for seconds in seconds_by_block]
    return Price(estimate([slope for slope, _ in lines], level), estimate([intercept for _, intercept in lines], level))


def _row(seconds: Numbers, points: int) -> NDArray[np.float64]:
    row = finite(seconds, "seconds of a block")
    if row.size != points:
        raise ValueError(f"a block holds {row.size} seconds for {points} numbers of units")
    return row


def paired_difference(base: Numbers, new: Numbers, level: float = 0.95) -> Estimate:
    """Return the median over blocks of new - base and its interval, one value a block on either side.

    Raises ValueError when the two differ in length, and on NaN, infinite or no values.
    """
    before, after = finite(base, "values of the base arm"), finite(new, "values of the new arm")
    if before.size != after.size:
        raise ValueError(f"{before.size} blocks of the base arm cannot be paired with {after.size} of the new arm")
    return estimate(after - before, level)
