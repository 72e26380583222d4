"""All ways of computing one product for one length of chunk: predicted, perhaps measured, the best first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.blocks.planner import Backend, choose
from placement_cli.measure.products.case import ProductCase
from placement_cli.measure.products.times import ProductTimes, ratio_of, times_of
from placement_cli.measure.products.timing import round_seconds

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from placement_cli.blocks.formulation import Formulation, Price
    from placement_cli.blocks.plan import BlockPlan
    from placement_cli.blocks.structure import Structure
    from placement_cli.measure.products.taking import ProductTimer
    from placement_cli.statistics.order_statistics import Interval

FEWEST_ROUNDS, MOST_ROUNDS = 6, 20
LENGTH_S = 2.0
"""Rounds are added to one length of chunk up to about this time; six are the fewest that give an interval."""
CANNOT = "this backend cannot compute it in this element type"

Ratio = tuple[float, "Interval | None"]


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way of computing. `predicted` is in the unit of the price, `ratio` the measured time over dense."""

    plan: BlockPlan
    formulation: Formulation
    predicted: float
    name: str
    is_dense: bool = False
    times: ProductTimes | None = None
    ratio: Ratio | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class LengthPlan:
    """The alternatives for chunks of `samples`, the best first; what upstream chooses, and that over the best."""

    samples: int
    alternatives: tuple[Alternative, ...]
    upstream: Alternative | None = None
    over_plan: Ratio | None = None

    @property
    def best(self) -> Alternative:
        """The plan: the fastest measured, or the cheapest predicted."""
        return self.alternatives[0]

    @property
    def dense(self) -> Alternative:
        """The dense product."""
        return next(each for each in self.alternatives if each.is_dense)


def predicted(structure: Structure, samples: int, price: Price, backend: Backend) -> LengthPlan:
    """Return the plans worth considering, the cheapest by price first."""
    found = [
        Alternative(choice.plan, choice.formulation, choice.predicted_s, choice.formulation.name, choice.is_dense)
        for choice in choose(structure, samples, price, backend=backend)
    ]
    return LengthPlan(samples, _named(found))


def with_upstream(length: LengthPlan, upstream: BlockPlan | None, price: Price) -> LengthPlan:
    """Return `length` with what another planner chose; None is the dense product."""
    if upstream is None:
        return replace(length, upstream=length.dense)
    formulation = upstream.formulation
    cost = price(formulation, length.samples)
    return replace(length, upstream=Alternative(upstream, formulation, cost, formulation.name))


def measured(length: LengthPlan, weights: Any, bench: ProductTimer) -> LengthPlan:
    """Return `length` with every alternative timed, the fastest first.

    What the backend cannot compute has a problem instead of times, and comes last. Raises ScenarioFailed when one
    computes something else than the product.
    """
    others = [length.upstream.plan] if length.upstream else []
    plans = list(dict.fromkeys([*(each.plan for each in length.alternatives), *others]))
    first = bench.load(ProductCase(weights, tuple(plans), length.samples))
    usable = [at for at, seconds in enumerate(first) if seconds is not None]
    rounds = bench.rounds(usable, _rounds_for([first[at] or 0.0 for at in usable]))
    at = {plans[number]: column for column, number in enumerate(usable)}
    return _filled(length, rounds, at)


def _filled(length: LengthPlan, rounds: NDArray[np.float64], at: dict[BlockPlan, int]) -> LengthPlan:
    times, dense = times_of(rounds), at.get(length.dense.plan)

    def timed(each: Alternative) -> Alternative:
        column = at.get(each.plan)
        if column is None:
            return replace(each, problem=CANNOT)
        return replace(each, times=times[column], ratio=None if dense is None else ratio_of(rounds, dense, column))

    found = sorted(map(timed, length.alternatives), key=_seconds)
    upstream = timed(length.upstream) if length.upstream else None
    best, theirs = at.get(found[0].plan), at.get(upstream.plan) if upstream else None
    over = ratio_of(rounds, best, theirs) if best is not None and theirs is not None else None
    return replace(length, alternatives=tuple(found), upstream=upstream, over_plan=over)


def _seconds(each: Alternative) -> float:
    return each.times.seconds if each.times else float("inf")


def _rounds_for(first_s: Sequence[float]) -> int:
    return int(np.clip(LENGTH_S / round_seconds(first_s), FEWEST_ROUNDS, MOST_ROUNDS))


def _named(found: Sequence[Alternative]) -> tuple[Alternative, ...]:
    names = ProductCase(None, tuple(each.plan for each in found), 1).names
    return tuple(replace(each, name=name) for each, name in zip(found, names, strict=True))


UpstreamPlanner = Callable[["Any", int], "BlockPlan | None"]
"""What ezmsg-sigproc would choose for weights and a number of samples."""
