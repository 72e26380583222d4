"""When to stop measuring a case: looks after 6, 12 and 20 blocks, and what each look may end.

Each look at the data is a chance to be fooled, so the early ones end little: `same` when it is clear, a
difference only after 12 blocks and only when it is clear by a wide margin, and what can no longer change. The
last look uses the plain rule of `verdict`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.statistics import wording
from placement_cli.statistics.finite import Numbers, finite
from placement_cli.statistics.order_statistics import fewest_values, median_interval, rank_for
from placement_cli.statistics.verdict import Verdict, VerdictKind, judge, withheld

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from placement_cli.statistics.noise_floor import EffectFloor

EARLIEST_FLAG = 12
"""Fewer blocks than this never end a case as faster or slower while more are planned."""

EARLY_LEVEL = 0.99
"""The interval at this level must be clear of zero to end a case early as faster or slower."""

EARLY_FACTOR = 1.5
"""And its median beyond this many times the floor."""

SAME_SHARE = 0.5
"""To end a case early as same, or as not slower, its median must lie within this share of what was asked."""


@dataclass(frozen=True, slots=True)
class StoppingRule:
    """After how many blocks to look, and whether only `slower` matters.

    With `one_sided`, as in a gate, a case also ends when it is not on its way to slower.
    """

    stages: tuple[int, ...] = (6, 12, 20)
    one_sided: bool = False

    def __post_init__(self) -> None:
        if not self.stages or list(self.stages) != sorted(set(self.stages)) or self.stages[0] < 1:
            raise ValueError(f"stages are rising numbers of blocks, not {self.stages}")

    def looks(self, planned_max: int) -> tuple[int, ...]:
        """Return the numbers of blocks at which to look when there may be `planned_max` in all.

        Raises ValueError when that is too few for any verdict.
        """
        if planned_max < fewest_values():
            raise ValueError(f"{planned_max} blocks are too few: a verdict needs {fewest_values()}")
        return (*(stage for stage in self.stages if stage < planned_max), planned_max)

    def next_look(self, n_blocks: int, planned_max: int) -> int | None:
        """Return how many blocks there must be at the next look; None when the last one is due or past."""
        return next((look for look in self.looks(planned_max) if look > n_blocks), None)


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to stop, the verdict if measuring ended here, and why to stop or go on.

    As long as `stop` is False the verdict is `inconclusive`.
    """

    stop: bool
    verdict: Verdict
    why: str


def decide(
    block_log_ratios: Numbers,
    floor: EffectFloor,
    rule: StoppingRule,
    planned_max: int,
    *,
    exhausted: bool = False,
) -> Decision:
    """Return whether to stop after these blocks, one log ratio each, new over base.

    `exhausted` says that the time is up. What the rule ends at this very look keeps its verdict; anything
    else ends `inconclusive`, never `same`. Raises ValueError on NaN, infinite or no values and on a
    `planned_max` below 6.
    """
    row = finite(block_log_ratios, "block log ratios")
    ahead = rule.next_look(row.size, planned_max)
    if ahead is None:
        return Decision(True, judge(row, floor), f"all {wording.blocks(planned_max)} planned are done")
    if row.size in rule.looks(planned_max):
        early = _early(row, floor, rule, planned_max)
        if early is not None:
            return early
    if exhausted:
        return Decision(True, judge(row, floor, complete=False), "the time is up")
    because = f"the next look is after {wording.blocks(ahead)}"
    return Decision(False, withheld(row, floor, because, next_look=ahead), because)


def _early(row: NDArray[np.float64], floor: EffectFloor, rule: StoppingRule, planned_max: int) -> Decision | None:
    """Return the decision to stop at a look that is not the last; None to go on."""
    verdict, median = judge(row, floor), float(np.median(row))
    if verdict.kind is VerdictKind.SAME and abs(median) < SAME_SHARE * floor.margin:
        return Decision(True, verdict, f"the median lies within half of {wording.size(floor.margin)}")
    if verdict.flagged and _clear_by_far(row, median, floor):
        return Decision(
            True,
            verdict,
            f"clear of zero at {100 * EARLY_LEVEL:g} % and beyond {EARLY_FACTOR:g} times the floor",
        )
    if rule.one_sided and median < SAME_SHARE * floor.margin:
        return _ended(row, floor, verdict, "not on its way to slower, which is all that matters here")
    if _settled_nothing(row, floor, planned_max):
        return _ended(row, floor, verdict, f"no verdict can come of it within {wording.blocks(planned_max)}")
    return None


def _ended(row: NDArray[np.float64], floor: EffectFloor, verdict: Verdict, why: str) -> Decision:
    """Return the end of a case that need not go on; a difference seen this early is not called one."""
    kept = verdict.kind is VerdictKind.SAME
    return Decision(True, verdict if kept else withheld(row, floor, why), why)


def _clear_by_far(row: NDArray[np.float64], median: float, floor: EffectFloor) -> bool:
    """Say whether a difference is clear enough to end a case early."""
    interval = median_interval(row, EARLY_LEVEL)
    if row.size < EARLIEST_FLAG or interval is None:
        return False
    return not interval.low <= 0 <= interval.high and abs(median) > EARLY_FACTOR * floor.value


def _settled_nothing(row: NDArray[np.float64], floor: EffectFloor, planned_max: int) -> bool:
    """Say whether no blocks still to come could bring any verdict at the last look.

    The last interval leaves out r - 1 blocks on either side. With r blocks against each of faster, slower and
    same already, it can be clear of zero on neither side, nor within the margin, whatever follows.
    """
    rank = rank_for(planned_max) or 1
    against_same = max(np.count_nonzero(row >= floor.margin), np.count_nonzero(row <= -floor.margin))
    against_any = min(np.count_nonzero(row <= 0), np.count_nonzero(row >= 0), against_same)
    return int(against_any) >= rank
