"""Fitting positive prices to times: logarithmic errors, a robust loss, and priors that tie prices together.

A time is a sum of amounts times prices, so the error that matters is relative: the residual is the logarithm
of predicted over measured. Prices are fitted as logarithms too and stay positive by themselves. The loss
grows only linearly beyond a few residuals (soft L1), since a disturbed timing is off by factors. Each price
is tied to another by a log-normal prior, which is what keeps predictions sensible where no timing says
anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

RESIDUAL_SCALE = 0.1
"""Log error at which the loss starts to turn from square to linear: 10 %, a good model's error on fair timings."""

SHARED_SHARE = 0.5
"""Share of a configuration's mean residual that is taken off before the loss.

Timings of one configuration are taken together and share the machine's speed of that moment, which says
nothing about prices. All of it must not go, or nothing would determine the rate.
"""


@dataclass(frozen=True, slots=True)
class Prior:
    """What is believed of a price before any timing: `ratio` times the price of `parent`, give or take `spread`.

    `spread` is the standard deviation of the logarithm. Without a parent `ratio` is the price itself.
    """

    parent: str | None
    ratio: float
    spread: float


def expectation(prior: Prior) -> str:
    """Return in words what a prior expects."""
    return f"{prior.ratio:g} times {prior.parent}" if prior.parent else f"{prior.ratio:g}"


@dataclass(frozen=True, slots=True)
class Data:
    """Times of timings to be explained: `amounts` (timings x terms), `seconds`, and the configuration of each."""

    amounts: Matrix
    seconds: Vector
    groups: NDArray[np.intp]

    def chosen(self, rows: NDArray[np.intp]) -> Data:
        """Return the timings at `rows`, in that order."""
        return Data(self.amounts[rows], self.seconds[rows], self.groups[rows])


@dataclass(frozen=True, slots=True)
class Ties:
    """Priors as a linear system: `matrix @ log(prices) - offset` is in standard deviations; `start` solves it."""

    matrix: Matrix
    offset: Vector
    start: Vector

    @classmethod
    def of(cls, priors: Mapping[str, Prior], names: Sequence[str]) -> Ties:
        """Return the priors of `names`; raises KeyError when one or a parent has none or comes after its child."""
        index = {name: at for at, name in enumerate(names)}
        matrix, offset, start = np.zeros((len(names), len(names))), np.zeros(len(names)), np.zeros(len(names))
        for name, at in index.items():
            prior = priors[name]
            matrix[at, at] = 1 / prior.spread
            offset[at] = start[at] = log(prior.ratio)
            offset[at] /= prior.spread
            if prior.parent is not None:
                parent = index[prior.parent]
                if parent >= at:
                    raise KeyError(f"{prior.parent} comes after {name}, which is tied to it")
                matrix[at, parent] = -1 / prior.spread
                start[at] += start[parent]
        return cls(matrix, offset, start)


@dataclass(frozen=True, slots=True)
class RobustFit:
    """Prices in the order of the terms, and the loss they leave.

    `deviations` are standard deviations of the logarithms of prices, `looseness` those of each price's tie
    relative to its prior's: 1 where the timings say nothing about a price beyond what its parent tells, near
    0 where they fix it.
    """

    prices: Vector
    deviations: Vector
    looseness: Vector
    loss: float


def fit_prices(data: Data, ties: Ties, start: Vector | None = None) -> RobustFit:
    """Return the prices that explain `data` best under the priors; `start` are logarithms to begin from.

    Deterministic. Raises ValueError when a timing has no amount of anything.
    """
    if not (data.amounts.sum(axis=1) > 0).all():
        raise ValueError("every timing consists of something")
    problem = _Problem(data, ties)
    begin = ties.start if start is None else start
    solution = least_squares(problem.residuals, begin, problem.jacobian, loss="soft_l1", ftol=1e-6, max_nfev=200)
    deviations, looseness = problem.uncertainty(solution.x)
    return RobustFit(np.exp(solution.x), deviations, looseness, float(solution.cost))


class _Problem:
    """Residuals of timings and priors, and their derivatives with respect to the logarithms of prices."""

    def __init__(self, data: Data, ties: Ties) -> None:
        order = np.argsort(data.groups, kind="stable")
        self._amounts, self._log_seconds = data.amounts[order], np.log(data.seconds[order])
        _, self._starts, self._group, self._sizes = np.unique(
            data.groups[order], return_index=True, return_inverse=True, return_counts=True
        )
        self._ties = ties

    def residuals(self, logs: Vector) -> Vector:
        predicted = np.log(self._amounts @ np.exp(logs))
        errors = self._centred(predicted - self._log_seconds)
        return np.concatenate([errors, self._ties.matrix @ logs - self._ties.offset])

    def jacobian(self, logs: Vector) -> Matrix:
        parts = self._amounts * np.exp(logs)
        return np.vstack([self._centred(parts / parts.sum(axis=1, keepdims=True)), self._ties.matrix])

    def uncertainty(self, logs: Vector) -> tuple[Vector, Vector]:
        """Return standard deviations of logarithms and of ties, from the curvature of the loss at `logs`."""
        weight = (1 + self.residuals(logs) ** 2) ** -0.25
        weight[self._log_seconds.size :] = 1
        weighted = self.jacobian(logs) * weight[:, None]
        covariance = np.linalg.inv(weighted.T @ weighted)
        tied = self._ties.matrix @ covariance @ self._ties.matrix.T
        return np.sqrt(np.diag(covariance)), np.sqrt(np.diag(tied))

    def _centred(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        sums = np.add.reduceat(rows, self._starts, axis=0)
        means: NDArray[np.float64] = (sums.T / self._sizes).T
        return (rows - SHARED_SHARE * means[self._group]) / RESIDUAL_SCALE
