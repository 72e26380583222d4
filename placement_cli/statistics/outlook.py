"""How many blocks an inconclusive case would take, from where its blocks lie.

A verdict after n blocks needs fewer than r of them beyond a limit, r being the rank that the interval uses.
If the share of blocks beyond the limit stays what it is, the smallest n with share x n <= r - 1 is the one at
which a verdict becomes more likely than not. No distribution is assumed. A share near one half never gets
there: then the effect itself lies at the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.statistics import wording
from placement_cli.statistics.finite import Numbers, finite
from placement_cli.statistics.noise_floor import EffectFloor, FloorSource
from placement_cli.statistics.order_statistics import fewest_values, good_count, rank_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_BLOCKS = 100
"""What would take more blocks than this needs a quieter machine instead, or a larger effect to look for."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """About how many blocks, in all, would settle a case; None when none would, and what is in the way."""

    blocks: int | None
    obstacle: str = ""


def outlook(block_log_ratios: Numbers, floor: EffectFloor, level: float = 0.95) -> Outlook:
    """Return what would settle a case that is inconclusive so far.

    The number is always larger than that of the blocks there are, and one at which the interval narrows. A
    median beyond the smallest change asked for is taken to be on its way to a difference, any other to
    `same`. Raises ValueError on NaN, infinite or no values.
    """
    row = finite(block_log_ratios, "block log ratios")
    if row.size < fewest_values(level):
        return Outlook(fewest_values(level))
    middle = abs(float(np.median(row)))
    if middle <= floor.margin:
        return _until_clear(_share_outside(row, floor.margin), row.size, level, wording.size(floor.margin))
    clear = _until_clear(_share_against(row), row.size, level, "zero")
    if clear.blocks is None or middle > floor.value:
        return clear
    quiet = _until_quiet(row.size, middle, floor, level)
    return quiet if quiet.blocks is None else Outlook(max(clear.blocks, quiet.blocks))


def _share_outside(row: NDArray[np.float64], margin: float) -> float:
    """Return the share of blocks beyond the margin, on the side that has more of them."""
    return _share(max(np.count_nonzero(row >= margin), np.count_nonzero(row <= -margin)), row.size)


def _share_against(row: NDArray[np.float64]) -> float:
    """Return the share of blocks that do not have the sign of the median."""
    return _share(np.count_nonzero(row * np.sign(np.median(row)) <= 0), row.size)


def _share(count: int | np.intp, n_blocks: int) -> float:
    """Return a share estimated with the half count of Jeffreys' prior: none of 6 seen does not mean never."""
    return (int(count) + 0.5) / (n_blocks + 1)


def _until_clear(share: float, n_blocks: int, level: float, limit: str) -> Outlook:
    """Return the first good count at which the expected number of blocks beyond a limit is below the rank."""
    count = good_count(n_blocks + 1, level)
    while count <= MOST_BLOCKS:
        if share * count <= (rank_for(count, level) or 0) - 1:
            return Outlook(count)
        count = good_count(count + 1, level)
    return Outlook(None, f"too many of them lie on either side of {limit}")


def _until_quiet(n_blocks: int, middle: float, floor: EffectFloor, level: float) -> Outlook:
    """Return the good count at which noise, which falls like 1 / sqrt(n), no longer hides `middle`."""
    if floor.source != FloorSource.NOISE:
        return Outlook(None, "the timer is too coarse for it")
    count = good_count(max(n_blocks + 1, ceil(n_blocks * (floor.value / middle) ** 2)), level)
    return Outlook(count) if count <= MOST_BLOCKS else Outlook(None, "the noise would still hide it")
