"""How well a fit predicts and chooses on timings it did not see."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Validation:
    """Errors are of the logarithm of seconds (0.1 is about 10 %), regrets relative to the best formulation measured.

    `order` is the share of pairs more than 5 % apart that are predicted in the right order. `noise_floor` is
    the regret of choosing by one half of the repeats and scoring on the other, None with `noise_floor_reason`
    when no repeats were kept. `rules` holds the mean regret of constant rules on the same timings,
    `worst_fold` the largest mean regret over folds that leave out one chunk length, one number of channels or
    one block size, and `fold` which;
    one configuration of each fold is forgiven. `configurations` counts what was held out.
    """

    error_median: float
    error_p95: float
    regret_mean: float
    regret_p95: float
    regret_max: float
    order: float
    configurations: int
    noise_floor: float | None = None
    noise_floor_reason: str | None = None
    worst_fold: float | None = None
    fold: str | None = None
    rules: Mapping[str, float] = field(default_factory=dict)
    misses: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether choices by the fit can be trusted; when not, `misses` says why and choices are to be measured."""
        return not self.misses
