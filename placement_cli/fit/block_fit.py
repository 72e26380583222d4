"""The prices of a block matmul from timings: thresholds by grid, prices by a robust fit, intervals by bootstrap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.fit.block_data import BlockTable, resampled
from placement_cli.fit.block_priors import BLOCK_PRIORS, TERM_ORDER
from placement_cli.fit.interval import Origin, constant_of
from placement_cli.fit.robust import Matrix, RobustFit, Ties, expectation, fit_prices
from placement_cli.fit.upstream_fit import fit_upstream
from placement_cli.profile.block_constants import BlockConstants, BlockPrice
from placement_cli.profile.terms import UNITS, Thresholds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from placement_cli.fit.observations import Configuration
    from placement_cli.profile.constant import Constant

GRIDS: dict[str, tuple[float, ...]] = {
    "lanes": (1.0, 4.0, 8.0, 16.0, 32.0),
    "small_macs": (1e5, 2.5e5, 5e5, 1e6, 2e6, 4e6),
    "far_bytes": tuple(float(mebi << 20) for mebi in (1, 2, 4, 8, 16, 32)),
    "near_bytes": tuple(float(kibi << 10) for kibi in (256, 512, 1024, 2048, 4096)),
}
"""Values tried for each threshold, in the order they are searched."""

HYSTERESIS = 0.02
"""Share by which another threshold must lower the loss to be taken: less would follow the noise."""

DRAWS = 100
"""Refits of the bootstrap: enough for 5 and 95 % ends to settle within a tenth of their distance."""

_TIES = Ties.of(BLOCK_PRIORS, TERM_ORDER)


@dataclass(frozen=True, slots=True)
class PointFit:
    """Thresholds and prices without intervals, and the loss they leave."""

    thresholds: Thresholds
    fit: RobustFit
    item_bytes: int

    @property
    def price(self) -> BlockPrice:
        """The price by the fitted values."""
        values = dict(zip(TERM_ORDER, self.fit.prices.tolist(), strict=True))
        return BlockPrice(values, self.thresholds, self.item_bytes)


def fit_point(table: BlockTable, members: NDArray[np.bool_] | None = None, start: PointFit | None = None) -> PointFit:
    """Return the prices and thresholds that explain all timings best, or those of the configurations in `members`.

    `start` is a fit to begin from, which only saves time. Deterministic.
    """
    best = _at(table, members, Thresholds(), start)
    for _ in range(2):
        before = best.thresholds
        for name in GRIDS:
            best = _search(table, members, best, name)
        if best.thresholds == before:
            break
    return best


def refit(table: BlockTable, members: NDArray[np.bool_], start: PointFit) -> PointFit:
    """Return the prices that explain the configurations in `members` best, at the thresholds of `start`."""
    return _at(table, members, start.thresholds, start)


def fit_blocks(
    configurations: Sequence[Configuration],
    *,
    dispatched: bool = False,
    item_bytes: int = 4,
    draws: int = DRAWS,
    seed: int = 0,
) -> BlockConstants:
    """Return every price with its interval, and the same timings in upstream's four constants.

    The intervals are the 5 and 95 % quantiles over refits to configurations drawn with replacement; a price
    that the timings did not determine gets the width of its prior. `dispatched` says that upstream's call
    cost is the one of dispatched backends. Equal input and `seed` give equal output. Raises ValueError when
    there are no configurations.
    """
    table = BlockTable(configurations, item_bytes)
    point = fit_point(table)
    refits = bootstrap_prices(table, point, draws, seed)
    source = f"fitted to {len(configurations)} configurations"
    prices = {name: _constant(name, at, point.fit, refits, source) for at, name in enumerate(TERM_ORDER)}
    return BlockConstants(
        {name: prices[name] for name in UNITS},
        point.thresholds,
        fit_upstream(configurations, dispatched=dispatched, draws=draws, seed=seed),
        item_bytes,
    )


def bootstrap_prices(table: BlockTable, point: PointFit, draws: int, seed: int) -> Matrix:
    """Return the prices (draws x terms) refitted to configurations drawn with replacement, thresholds kept."""
    data, start = table.data(point.thresholds), np.log(point.fit.prices)
    generator = np.random.default_rng(seed)
    return np.array([fit_prices(resampled(data, generator), _TIES, start).prices for _ in range(draws)])


def _at(
    table: BlockTable, members: NDArray[np.bool_] | None, thresholds: Thresholds, start: PointFit | None
) -> PointFit:
    begin = np.log(start.fit.prices) if start else None
    return PointFit(thresholds, fit_prices(table.data(thresholds, members), _TIES, begin), table.item_bytes)


def _search(table: BlockTable, members: NDArray[np.bool_] | None, best: PointFit, name: str) -> PointFit:
    others = [
        _at(table, members, replace(best.thresholds, **{name: value}), best)
        for value in GRIDS[name]
        if value != getattr(best.thresholds, name)
    ]
    lowest = min(others, key=lambda point: point.fit.loss)
    return lowest if lowest.fit.loss < (1 - HYSTERESIS) * best.fit.loss else best


def _constant(name: str, at: int, fit: RobustFit, refits: Matrix, source: str) -> Constant:
    origin = Origin(UNITS[name], source, expectation(BLOCK_PRIORS[name]))
    return constant_of(fit, at, float(fit.prices[at]), refits[:, at], origin)
