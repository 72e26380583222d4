"""What rounds of timings say of each formulation: its seconds, how sure they are, and how it compares.

Formulations of one round share the speed of the machine at that moment, so what is compared is each sample
over the geometric mean of its round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.statistics.order_statistics import Interval, median_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ProductTimes:
    """Seconds a call of one formulation.

    `interval` is that of the median over rounds (95 %; None with fewer than six rounds), `halves` are the times of
    the even and of the odd rounds.
    """

    seconds: float
    interval: tuple[float, float] | None
    halves: tuple[float, float]


def times_of(rounds: NDArray[np.float64]) -> list[ProductTimes]:
    """Return the times of every formulation from `rounds` (rounds x formulations), two rounds at least."""
    logs = np.log(rounds)
    alone = rounds.shape[1] == 1  # then there is nothing to compare with, and its own spread is what is known
    level = np.zeros(len(rounds)) if alone else logs.mean(axis=1)
    relative, middle = logs - level[:, None], float(np.median(level))
    return [_times(relative[:, number], middle) for number in range(rounds.shape[1])]


def ratio_of(rounds: NDArray[np.float64], base: int, new: int) -> tuple[float, Interval | None]:
    """Return the median over rounds of new / base, and its interval."""
    logs = np.log(rounds[:, new] / rounds[:, base])
    found = median_interval(logs)
    interval = Interval(float(np.exp(found.low)), float(np.exp(found.high)), found.coverage) if found else None
    return float(np.exp(np.median(logs))), interval


def disagreement(times: list[ProductTimes]) -> float:
    """Return the largest difference between the halves of any formulation, as a log ratio."""
    return max(abs(float(np.log(each.halves[0] / each.halves[1]))) for each in times)


def _times(relative: NDArray[np.float64], middle: float) -> ProductTimes:
    found = median_interval(relative)
    return ProductTimes(
        _seconds(float(np.median(relative)), middle),
        (_seconds(found.low, middle), _seconds(found.high, middle)) if found else None,
        (_seconds(float(np.median(relative[::2])), middle), _seconds(float(np.median(relative[1::2])), middle)),
    )


def _seconds(relative: float, middle: float) -> float:
    return float(np.exp(relative + middle))
