"""What cannot be told from noise: the floor under which no effect is called one.

The noise floor comes from the control, a second process of the base arm (A'): its ratios to the base show
what the whole design makes of identical code, in the same case and the same minutes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import inf, isfinite, log1p

import numpy as np

from placement_cli.statistics.finite import Numbers, finite
from placement_cli.statistics.resampled_median import abs_median_quantile

NOISE_SHARE = 0.95
"""The share of medians of identical code that lie within the noise floor."""

ENOUGH_CONTROLS = 12
"""With fewer control ratios the noise floor is drawn towards that of the suite."""

NOISE_FACTOR = 1.5
"""How far above the noise floor an effect must lie: the noise floor is itself an estimate."""

MIN_EFFECT = 0.03
"""The smallest change worth telling when nobody asks for another: 3 %."""


class FloorSource(StrEnum):
    """Which of the three lower limits is the largest and sets the floor."""

    MIN_EFFECT = "min-effect"
    NOISE = "noise"
    TIMER = "timer"


@dataclass(frozen=True, slots=True)
class EffectFloor:
    """The smallest effect that counts, as a log ratio `value`, and what set it.

    `noise` is the noise floor before its factor, `asked` the smallest effect asked for, both as log ratios.
    """

    value: float
    source: FloorSource
    noise: float
    asked: float = inf

    @property
    def margin(self) -> float:
        """How close to zero a change must lie to be called none: what was asked for, whatever the noise.

        Were it the floor, a noisier machine would find more cases the same.
        """
        return min(self.value, self.asked)


def noise_floor(control_log_ratios: Numbers, n_blocks: int, suite_floor: float | None = None) -> float:
    """Return the log ratio that the median of `n_blocks` blocks of identical code exceeds one time in twenty.

    `control_log_ratios` hold one A'/A log ratio a block. The 95th percentile of |median of `n_blocks` of them
    drawn with replacement| is worked out exactly, each value drawn with either sign: which process is A and
    which A' is settled by a coin, so both signs are equally likely, and a few bursts that happened to hit the
    same side do not count as a bias. (A bias of the design is what `family.lean` looks for.)

    With n < 12 ratios the result is n/12 parts of this and the rest `suite_floor`, the median floor of the
    suite's cases, when there is one; without any ratio it is the suite's. Raises ValueError on NaN or
    infinite ratios, on no ratios without a suite floor, and when `n_blocks` is below 1.
    """
    if not len(control_log_ratios) and suite_floor is not None:
        return _checked(suite_floor, "suite floor")
    row = finite(control_log_ratios, "control log ratios")
    own = abs_median_quantile(np.concatenate([-row, row]), n_blocks, NOISE_SHARE)
    if suite_floor is None:
        return own
    weight = min(1.0, row.size / ENOUGH_CONTROLS)
    return weight * own + (1 - weight) * _checked(suite_floor, "suite floor")


def effect_floor(min_effect: float = MIN_EFFECT, noise: float = 0.0, timer_quantum: float = 0.0) -> EffectFloor:
    """Return the largest of the effect asked for, 1.5 times the noise floor, and the timer's quantum.

    `min_effect` is a relative change (0.03 for 3 %), `noise` a log ratio as `noise_floor` returns it,
    `timer_quantum` the timer's tick as a share of the shortest sample. The earlier of the three wins a tie.
    Raises ValueError when one is negative, NaN or infinite.
    """
    asked = log1p(_checked(min_effect, "smallest effect"))
    limits = {
        FloorSource.MIN_EFFECT: asked,
        FloorSource.NOISE: NOISE_FACTOR * _checked(noise, "noise floor"),
        FloorSource.TIMER: log1p(_checked(timer_quantum, "timer quantum")),
    }
    source = max(limits, key=lambda limit: limits[limit])
    return EffectFloor(limits[source], source, noise, asked)


def _checked(value: float, what: str) -> float:
    if not isfinite(value) or value < 0:
        raise ValueError(f"a {what} is a number from zero up, not {value}")
    return value
