"""How good the planner's choices are here: against the best of everything timed, and against another planner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from placement_cli.blocks.competitors import competing_plans
from placement_cli.blocks.drawing import Ranges
from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.planner import Backend, choose
from placement_cli.measure.products.case import ProductCase
from placement_cli.measure.products.speed import macs_a_second
from placement_cli.measure.products.times import ratio_of, times_of
from placement_cli.measure.products.timing import round_seconds
from placement_cli.planning.timing import ROUNDS, TIMED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from placement_cli.blocks.formulation import Price
    from placement_cli.blocks.plan import BlockPlan
    from placement_cli.measure.products.taking import ProductTimer
    from placement_cli.planning.comparison import Ratio, UpstreamPlanner

FEWEST_ROUNDS = 8
PRODUCT_S = 3.0
"""Rounds of one product take about this long; at most `MOST_ROUNDS`, at least `FEWEST_ROUNDS` however long."""
MOST_ROUNDS = 4 * ROUNDS


@dataclass(frozen=True, slots=True)
class Trial:
    """Rounds of one product (rounds x plans), and which of the plans each way of choosing took.

    `top` are the best by price, the estimate first. `theirs` is None where there is no other planner.
    """

    name: str
    samples: int
    names: tuple[str, ...]
    rounds: NDArray[np.float64]
    top: tuple[int, ...]
    dense: int
    theirs: int | None = None

    @property
    def seconds(self) -> list[float]:
        """Seconds of every plan over all rounds."""
        return [times.seconds for times in times_of(self.rounds)]

    @property
    def estimate_regret(self) -> float:
        """How much longer the cheapest by price takes than the fastest of all."""
        return self._regret(self.seconds, self.top[0])

    @property
    def measured_regret(self) -> float:
        """The same for the fastest of the best by price, chosen by the first rounds and judged by the others."""
        first, others = self._first_and_others()
        chosen = min(self.top, key=lambda plan: first[plan])
        return self._regret(others, chosen)

    @property
    def noise_regret(self) -> float:
        """The same for the fastest of all plans, chosen by the first rounds and judged by the others."""
        first, others = self._first_and_others()
        return self._regret(others, int(np.argmin(first)))

    @property
    def dense_regret(self) -> float:
        """The same for the dense product."""
        return self._regret(self.seconds, self.dense)

    @property
    def over_theirs(self) -> Ratio | None:
        """The other planner's choice over the estimate, round by round."""
        return None if self.theirs is None else ratio_of(self.rounds, self.top[0], self.theirs)

    def _first_and_others(self) -> tuple[list[float], list[float]]:
        chosen_by = min(ROUNDS, len(self.rounds) // 2)
        return (
            [times.seconds for times in times_of(self.rounds[:chosen_by])],
            [times.seconds for times in times_of(self.rounds[chosen_by:])],
        )

    @staticmethod
    def _regret(seconds: Sequence[float], chosen: int) -> float:
        return seconds[chosen] / min(seconds) - 1


@dataclass(frozen=True, slots=True)
class Planner:
    """The planner on trial: its price and backend, and another planner to compare with."""

    price: Price
    backend: Backend
    theirs: UpstreamPlanner | None = None


def run_trial(
    name: str, weights: Any, samples: int, planner: Planner, bench: ProductTimer, tolerance: float = 0.0
) -> Trial:
    """Time every plan worth it for one product, the other planner's among them."""
    structure = find_structure(weights, tolerance)
    top = [choice.plan for choice in choose(structure, samples, planner.price, backend=planner.backend)[:TIMED]]
    plans = list(dict.fromkeys([*top, *competing_plans(structure, samples, planner.price, backend=planner.backend)]))
    dense = next(at for at, plan in enumerate(plans) if str(plan.formulation.kind) == "dense" and not plan.compiled)
    at_theirs = _theirs(plans, dense, weights, samples, planner)
    kept = _thresholded(weights, structure.threshold)
    first = bench.load(ProductCase(kept, tuple(plans), samples))
    usable = [at for at, seconds in enumerate(first) if seconds is not None]
    rounds = bench.rounds(usable, _rounds_for([first[at] or 0.0 for at in usable]))
    place = {at: column for column, at in enumerate(usable)}
    return Trial(
        name,
        samples,
        tuple(plans[at].formulation.name for at in usable),
        rounds,
        tuple(place[at] for at in range(len(top)) if at in place),
        place[dense],
        None if at_theirs is None else place[at_theirs],
    )


def _theirs(plans: list[BlockPlan], dense: int, weights: Any, samples: int, planner: Planner) -> int | None:
    """Return the place of the other planner's choice among `plans`, which it is added to; None without one."""
    if planner.theirs is None:
        return None
    theirs = planner.theirs(weights, samples)
    if theirs is None:
        return dense
    for at, plan in enumerate(plans):
        if plan.sections == theirs.sections and not plan.compiled:
            return at
    plans.append(theirs)
    return len(plans) - 1


def _thresholded(weights: Any, threshold: float) -> Any:
    return weights if threshold <= 0 else np.where(np.abs(weights) > threshold, weights, 0).astype(weights.dtype)


def _rounds_for(first_s: Sequence[float]) -> int:
    return int(np.clip(PRODUCT_S / round_seconds(first_s), FEWEST_ROUNDS, MOST_ROUNDS))


@dataclass(frozen=True, slots=True)
class Regrets:
    """Mean, 95 % and largest of some regrets: 0.02 is 2 % longer than the best."""

    mean: float
    p95: float
    most: float


def regrets(trials: Sequence[Trial], of: Callable[[Trial], float]) -> Regrets:
    """Return how a way of choosing did over the trials, one at least."""
    found = [of(trial) for trial in trials]
    return Regrets(float(np.mean(found)), float(np.quantile(found, 0.95)), max(found))


def gain_over_theirs(trials: Sequence[Trial], draws: int = 2000, seed: int = 0) -> tuple[float, float, float] | None:
    """Return the geometric mean of the other planner's time over ours, with the 95 % interval over products.

    None where there is no other planner.
    """
    logs = [log(trial.over_theirs[0]) for trial in trials if trial.over_theirs is not None]
    if not logs:
        return None
    generator = np.random.default_rng(seed)
    means = generator.choice(logs, (draws, len(logs))).mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return exp(float(np.mean(logs))), exp(float(low)), exp(float(high))


LONGEST_DENSE_S = 0.4
"""Chunks are drawn so short that the dense product takes about this long at most."""


def trial_ranges(bench: ProductTimer) -> Ranges:
    """Return what products are drawn from: up to 4096 channels and 4000 samples, bounded by the speed here."""
    return Ranges(channels=(64, 4096), samples=(1, 4000), most_macs=macs_a_second(bench) * LONGEST_DENSE_S)
