"""How well a price predicts and chooses: errors, regret and the order of pairs, over configurations it is given."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import log
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from placement_cli.blocks.formulation import Price
    from placement_cli.fit.observations import Configuration, Timing

CLEARLY_APART = 0.05
"""Pairs of formulations whose times differ by less are a tie, and their order is luck."""


@dataclass(frozen=True, slots=True)
class Score:
    """One configuration's log errors of all timings, the regret of the choice, and its pairs in right order."""

    errors: tuple[float, ...]
    regret: float
    pairs: int
    ordered: int


def score(configuration: Configuration, price: Price) -> Score:
    """Return how `price` does on one configuration. Ties in price go to the formulation that is listed first."""
    predicted = {timing.name: price(timing.formulation, configuration.samples) for timing in configuration.timings}
    errors = tuple(log(predicted[timing.name] / timing.seconds) for timing in configuration.timings)
    candidates = configuration.candidates
    chosen = min(candidates, key=lambda timing: predicted[timing.name])
    pairs = [(one, two) for one, two in combinations(candidates, 2) if _apart(one, two)]
    ordered = sum((predicted[one.name] < predicted[two.name]) == (one.seconds < two.seconds) for one, two in pairs)
    return Score(errors, regret_of(chosen, candidates), len(pairs), ordered)


def regret_of(chosen: Timing, candidates: Iterable[Timing]) -> float:
    """Return how much longer the chosen formulation takes than the fastest measured: 0.1 is 10 %."""
    return chosen.seconds / min(timing.seconds for timing in candidates) - 1


def _apart(one: Timing, two: Timing) -> bool:
    return abs(log(one.seconds / two.seconds)) > log(1 + CLEARLY_APART)


def half_regrets(configurations: Sequence[Configuration]) -> list[float]:
    """Return the regret of choosing by one half of the repeats and scoring on the other, both ways.

    Configurations whose repeats were not kept take no part.
    """
    found = []
    for configuration in configurations:
        halves = [timing.halves for timing in configuration.candidates if timing.halves]
        if len(halves) != len(configuration.candidates):
            continue
        table = np.array(halves)
        for choose, judge in ((0, 1), (1, 0)):
            found.append(float(table[table[:, choose].argmin(), judge] / table[:, judge].min() - 1))
    return found
