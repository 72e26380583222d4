"""The verdict on one comparison: what may be said about it, and why.

    faster        the whole interval below zero and the median beyond the floor
    slower        the whole interval above zero and the median beyond the floor
    same          the whole interval inside the smallest change asked for, in either direction
    inconclusive  anything else
    invalid       the measurement cannot be trusted, whatever its numbers

A positive log ratio always means slower, or more.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import exp
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.statistics import wording
from placement_cli.statistics.finite import Numbers, finite
from placement_cli.statistics.order_statistics import Interval, median_interval
from placement_cli.statistics.outlook import MOST_BLOCKS, outlook
from placement_cli.statistics.sign_test import sign_p_value

if TYPE_CHECKING:
    from placement_cli.statistics.noise_floor import EffectFloor


class VerdictKind(StrEnum):
    """What may be said about a comparison."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may be said about new against base, the numbers it rests on, and a sentence that says why.

    `ratio` is new / base, the median over blocks, and `interval` that of this ratio with its true coverage;
    None where there are no blocks, or too few. `floor` is what an effect had to exceed, None where there was
    no need of one. `blocks_needed` is about how many blocks in all would settle an `inconclusive` case; None
    when none would, and for every other kind. `p_value` is the two-sided sign test's, for a family of cases.
    """

    kind: VerdictKind
    ratio: float | None
    interval: Interval | None
    n_blocks: int
    floor: EffectFloor | None
    reason: str
    blocks_needed: int | None = None
    p_value: float | None = None

    @property
    def flagged(self) -> bool:
        """Whether a difference was found."""
        return self.kind in (VerdictKind.FASTER, VerdictKind.SLOWER)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The log ratios of the blocks, reduced."""

    median: float
    interval: Interval | None
    n_blocks: int
    p_value: float

    @classmethod
    def of(cls, block_log_ratios: Numbers, level: float) -> _Evidence:
        row = finite(block_log_ratios, "block log ratios")
        return cls(float(np.median(row)), median_interval(row, level), row.size, sign_p_value(row))

    def verdict(self, kind: VerdictKind, floor: EffectFloor | None, reason: str, needed: int | None = None) -> Verdict:
        ratios = self.interval and Interval(exp(self.interval.low), exp(self.interval.high), self.interval.coverage)
        return Verdict(kind, exp(self.median), ratios, self.n_blocks, floor, reason, needed, self.p_value)

    def words(self) -> str:
        return wording.measured(self.median, self.interval, self.n_blocks)


def judge(block_log_ratios: Numbers, floor: EffectFloor, level: float = 0.95, *, complete: bool = True) -> Verdict:
    """Return the verdict on one log ratio a block, new over base.

    With `complete=False` the blocks are not all that were planned, so the verdict is `inconclusive` whatever
    they show: ending where it happens to look good is not a rule. Fewer blocks than an interval at `level`
    needs are `inconclusive` too. Raises ValueError on NaN, infinite or no values.
    """
    if not complete:
        return withheld(block_log_ratios, floor, "measuring ended before its plan did", level)
    seen = _Evidence.of(block_log_ratios, level)
    kind, because = _rule(seen, floor)
    if kind is VerdictKind.INCONCLUSIVE:
        return withheld(block_log_ratios, floor, because, level)
    return seen.verdict(kind, floor, f"{seen.words()}: {because}.")


def withheld(
    block_log_ratios: Numbers, floor: EffectFloor, because: str, level: float = 0.95, *, next_look: int = 0
) -> Verdict:
    """Return `inconclusive` for the reason `because`, with how many blocks would settle the case.

    No fewer than `next_look`, where that is known. Raises ValueError on NaN, infinite or no values.
    """
    seen = _Evidence.of(block_log_ratios, level)
    ahead = outlook(block_log_ratios, floor, level)
    needed = ahead.blocks and max(ahead.blocks, next_look)
    if seen.interval is None:
        then = f"{ahead.blocks} are the fewest that allow a verdict."
    elif needed is None:
        then = f"Not even {MOST_BLOCKS} blocks like these would settle it: {ahead.obstacle}."
    else:
        then = f"About {needed - seen.n_blocks} more like these ({needed} in all) would settle it."
    reason = f"{seen.words()}: {because}. {then}"
    return seen.verdict(VerdictKind.INCONCLUSIVE, floor, reason, needed)


def invalid(
    reason: str, block_log_ratios: Numbers = (), floor: EffectFloor | None = None, level: float = 0.95
) -> Verdict:
    """Return `invalid`: no fence, a machine that throttled, drift, an arm that crashed or computes wrong.

    `reason` is the sentence that says which. The log ratios of the blocks, where there are any, are reported
    but decide nothing. Raises ValueError on NaN or infinite ones.
    """
    if not len(block_log_ratios):
        return Verdict(VerdictKind.INVALID, None, None, 0, floor, reason)
    return _Evidence.of(block_log_ratios, level).verdict(VerdictKind.INVALID, floor, reason)


def _rule(seen: _Evidence, floor: EffectFloor) -> tuple[VerdictKind, str]:
    """Return what the interval allows to be said, and the end of the sentence that says why."""
    interval = seen.interval
    if interval is None:
        return VerdictKind.INCONCLUSIVE, "nothing can be said"
    beyond = f"clear of zero and beyond the floor of {wording.floor_set_by(floor)}"
    if interval.low > 0 and seen.median > floor.value:
        return VerdictKind.SLOWER, beyond
    if interval.high < 0 and seen.median < -floor.value:
        return VerdictKind.FASTER, beyond
    if interval.inside(-floor.margin, floor.margin):
        return VerdictKind.SAME, f"all of it within {wording.size(floor.margin)} of no change"
    return VerdictKind.INCONCLUSIVE, _in_the_way(interval, floor)


def _in_the_way(interval: Interval, floor: EffectFloor) -> str:
    """Return what keeps a case from a verdict."""
    set_by = wording.floor_set_by(floor)
    if interval.low <= 0 <= interval.high:
        because = f"neither clear of zero nor all within {wording.size(floor.margin)} of no change"
        return because if floor.value == floor.margin else f"{because}, and the floor is {set_by}"
    return f"clear of zero, but the median is not beyond the floor of {set_by}"
