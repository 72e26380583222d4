"""Steps in a row of medians over time: where the level of a quantity moved, and stayed.

The optimal segmentation of the log medians into constant levels: least squares plus a penalty a level, found by Pelt
(Killick, Fearnhead and Eckley, Journal of the American Statistical Association 107, 2012) as ruptures has it in C: its
linear kernel is least squares.

The penalty is the larger of `LEAST_PENALTY` and `PENALTY` log n variances between neighbouring runs, which are taken
from the median absolute difference: a few steps do not move that. In rows without a step it finds one in less than
3 % with normal noise, and in less than 5 % with the heavy tails of Student's t with 3 degrees of freedom. A step of
ten times the noise gains at least 150 variances. These rates are of one row of runs whose noise is independent: a
level that wanders from day to day looks like steps, and of many rows some show one by chance. Steps below `LEAST_STEP`
are not told, and noise is never taken to be below `LEAST_NOISE`: rows that repeat to a digit would turn any last digit
into a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import log, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

from placement_cli.statistics.finite import Numbers, positive

FEWEST_POINTS = 6
"""Fewer points than this have no steps: two levels of three points each."""
LEAST_LEVEL = 3
"""Points that a level holds at least: one odd run is no step."""
LEAST_PENALTY, PENALTY = 20.0, 6.0
LEAST_STEP = log1p(0.03)
LEAST_NOISE = log1p(0.005)
NORMAL_MAD = 1.4826
"""Standard deviations in a median absolute deviation of normal values."""


@dataclass(frozen=True, slots=True)
class Step:
    """The first point of a new level, counted from 0, and the medians of the levels before and after."""

    index: int
    before: float
    after: float

    @property
    def ratio(self) -> float:
        """After over before; above 1 is slower, or more."""
        return self.after / self.before


def find_steps(medians: Numbers) -> tuple[Step, ...]:
    """Return the steps in `medians`, all above zero and in the order of time; none in fewer than 6 points.

    Raises ValueError on values that are NaN, infinite or not above zero, and on none.
    """
    row = np.log(positive(medians, "medians over time"))
    if row.size < FEWEST_POINTS:
        return ()
    bounds = _told(row, [0, *_segments(row), row.size])
    levels = [float(np.exp(np.median(row[start:end]))) for start, end in pairwise(bounds)]
    return tuple(Step(bounds[number + 1], *pair) for number, pair in enumerate(pairwise(levels)))


def _segments(row: NDArray[np.float64]) -> list[int]:
    """Return where new levels begin."""
    from ruptures import KernelCPD  # type: ignore[import-untyped]  # ruptures ships no types

    penalty = max(LEAST_PENALTY, PENALTY * log(row.size)) * _noise(row) ** 2
    found = KernelCPD(kernel="linear", min_size=LEAST_LEVEL).fit(row.reshape(-1, 1)).predict(pen=penalty)
    return [int(bound) for bound in found[:-1]]


def _noise(row: NDArray[np.float64]) -> float:
    """Return the standard deviation of the points about their level."""
    return max(LEAST_NOISE, NORMAL_MAD * float(np.median(np.abs(np.diff(row)))) / sqrt(2))


def _told(row: NDArray[np.float64], bounds: list[int]) -> list[int]:
    """Return `bounds` without those between levels that are too much alike, the smallest step first."""
    while len(bounds) > 2:
        levels = [float(np.median(row[start:end])) for start, end in pairwise(bounds)]
        sizes = [abs(after - before) for before, after in pairwise(levels)]
        smallest = min(range(len(sizes)), key=sizes.__getitem__)
        if sizes[smallest] >= LEAST_STEP:
            break
        bounds = [*bounds[: smallest + 1], *bounds[smallest + 2 :]]
    return bounds
