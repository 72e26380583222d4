"""Timing products to fit costs to: drawn evenly over shapes and lengths, in bounded time, each kept when done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.blocks.competitors import competing_plans
from placement_cli.blocks.drawing import Drawn, Ranges, draw
from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.formulation import run_length
from placement_cli.fit.observations import Configuration, Timing
from placement_cli.measure.products.case import ProductCase
from placement_cli.measure.products.times import disagreement, times_of
from placement_cli.measure.products.timing import round_seconds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from placement_cli.blocks.formulation import BlockShape, Price
    from placement_cli.blocks.plan import BlockPlan
    from placement_cli.fit.target import Target
    from placement_cli.measure.products.taking import ProductTimer

DRAWINGS = 128
"""Products that are drawn; time decides how many of them are timed."""
MOST_PLANS = 8
"""Formulations of one product that are timed."""
MASKED_EVERY = 6
"""One product in so many times `block_masked_mm` too, which takes as long as the dense product on a CPU."""
FEWEST_ROUNDS, MOST_ROUNDS = 4, 10
PRODUCT_S = 0.6
"""Rounds are added to a product up to about this time."""
HALVES_AGREE = 0.05
"""Products whose halves lie further apart, as a log ratio, are timed again while there is time."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long timing may take, in seconds, and how many products are timed however long it takes.

    The dense product of a drawn case takes `longest_call_s` at most, or about.
    """

    budget_s: float
    fewest: int
    longest_call_s: float = 0.02


FULL = Effort(40.0, 24, 0.05)
"""Leaves time for fitting in a backend's minute, and lets chunks grow well beyond the caches."""
SHARED = Effort(21.0, 24)
"""Where evaluation is measured in that minute too; many short products teach more than a few long ones."""
QUICK = Effort(5.0, 12)
"""A first look, and what tests can wait for."""

Keep = Callable[[int, Configuration], None]
Tell = Callable[[float, str], None]
"""Called with the share of the work that is done and a few words on the last result."""


@dataclass(slots=True)
class Calibration:
    """One calibration. `now` tells the time in seconds, `keep` stores what is done, `stopped` ends it early.

    `price` is what is believed before: it decides which formulations are timed, not what they cost.
    """

    bench: ProductTimer
    target: Target
    price: Price
    seed: int
    effort: Effort
    now: Callable[[], float]
    keep: Keep
    tell: Tell
    stopped: Callable[[], bool]
    _rounds: dict[int, tuple[Drawn, NDArray[np.float64]]] = field(default_factory=dict)

    def run(self, ranges: Ranges, done: dict[int, Configuration]) -> dict[int, Configuration]:
        """Return `done` with what else was timed, by number of the drawing; it stops early when asked to."""
        began, found = self.now(), dict(done)
        for number, drawn in enumerate(draw(DRAWINGS, self.seed, ranges)):
            spent = self.now() - began
            if self.stopped() or (len(found) >= self.effort.fewest and spent > self.effort.budget_s):
                break
            if number not in found:
                found[number] = self._timed(number, drawn)
                self.tell(min(1.0, max(spent / self.effort.budget_s, 0.0)), _told(drawn, found[number]))
        return self._again(found, began)

    def _timed(self, number: int, drawn: Drawn) -> Configuration:
        plans, rounds = self._taken(number, drawn)
        configuration = _configuration(drawn, plans, rounds)
        self._rounds[number] = (drawn, rounds)
        self.keep(number, configuration)
        return configuration

    def _taken(self, number: int, drawn: Drawn) -> tuple[list[BlockPlan], NDArray[np.float64]]:
        """Return the plans of a product that run here, and rounds of them."""
        weights = drawn.weights()
        plans = self._plans(number, drawn, weights)
        first = self.bench.load(ProductCase(weights, plans, drawn.samples, drawn.seed))
        usable = [at for at, seconds in enumerate(first) if seconds is not None]
        rounds = self.bench.rounds(usable, _rounds_for([first[at] or 0.0 for at in usable]))
        return [plans[at] for at in usable], rounds

    def _plans(self, number: int, drawn: Drawn, weights: NDArray[np.float32]) -> tuple[BlockPlan, ...]:
        structure = find_structure(weights)
        masked = number % MASKED_EVERY == 0
        plans = competing_plans(structure, drawn.samples, self.price, backend=self.target.library, masked=masked)
        return fewer(plans, MOST_PLANS)

    def _again(self, found: dict[int, Configuration], began: float) -> dict[int, Configuration]:
        """Time those again whose halves disagree most, until the time is up."""
        worst = sorted(self._rounds, key=lambda number: -_disagreement(self._rounds[number][1]))
        for number in worst:
            drawn, before = self._rounds[number]
            late = self.now() - began > self.effort.budget_s
            if late or self.stopped() or _disagreement(before) < HALVES_AGREE:
                break
            plans, after = self._taken(number, drawn)
            if after.shape[1] == before.shape[1]:
                found[number] = _configuration(drawn, plans, np.vstack([before, after]))
                self.keep(number, found[number])
        return found


def fewer(plans: Sequence[BlockPlan], most: int) -> tuple[BlockPlan, ...]:
    """Return at most `most` of the plans, spread over kinds: the first of every kind, then the others in order."""
    kinds: dict[str, BlockPlan] = {}
    for plan in plans:
        kinds.setdefault(plan.formulation.name, plan)
    chosen = [*kinds.values(), *(plan for plan in plans if plan not in kinds.values())][:most]
    return tuple(plan for plan in plans if plan in chosen)


def _rounds_for(first_s: Sequence[float]) -> int:
    return int(np.clip(PRODUCT_S / round_seconds(first_s), FEWEST_ROUNDS, MOST_ROUNDS))


def _configuration(drawn: Drawn, plans: Sequence[BlockPlan], rounds: NDArray[np.float64]) -> Configuration:
    names = ProductCase(None, tuple(plans), drawn.samples).names
    timings = tuple(
        Timing(name, plan.formulation, times.seconds, times.halves)
        for name, plan, times in zip(names, plans, times_of(rounds), strict=True)
    )
    return Configuration(drawn.samples, _finest(plans), timings)


def _finest(plans: Sequence[BlockPlan]) -> tuple[tuple[BlockShape, int], ...]:
    most = max(plans, key=lambda plan: plan.n_blocks)
    return tuple((part.shape, part.count) for part in run_length(most.formulation.parts))


def _disagreement(rounds: NDArray[np.float64]) -> float:
    return disagreement(times_of(rounds))


def _told(drawn: Drawn, configuration: Configuration) -> str:
    best = min(configuration.candidates, key=lambda timing: timing.seconds)
    return f"{drawn.layout} {drawn.channels} channels, {drawn.samples} samples: {best.name} is fastest"


def ranges_for(macs_a_second: float, effort: Effort, base: Ranges | None = None) -> Ranges:
    """Return what to draw from on a machine of this speed, so that no product takes much longer than it teaches."""
    within = base or Ranges()
    return Ranges(within.channels, within.samples, within.block, macs_a_second * effort.longest_call_s)
