"""Which plan for which length of chunk, and where one takes over from the other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from placement_cli.blocks.planner import Backend, Choice, choose, price_of, whole_samples

if TYPE_CHECKING:
    from collections.abc import Iterable

    from placement_cli.blocks.formulation import Price
    from placement_cli.blocks.planner import Priced
    from placement_cli.blocks.structure import Structure

WORTH_A_ROW = 0.02
"""A plan that is best somewhere between two lengths gets a row of its own when it is this much cheaper there."""
DEEPEST = 4
"""Halvings of the range between two lengths that were asked for, at most, to find plans between them."""


@dataclass(frozen=True, slots=True)
class LengthRange:
    """The plan for chunks of `samples_from` to `samples_to` samples, both included (None: and more).

    `predicted_s` is its price at `samples_from`.
    """

    samples_from: int
    samples_to: int | None
    choice: Choice

    @property
    def predicted_s(self) -> float:
        """Price of the plan at the shortest chunk of the range."""
        return self.choice.predicted_s


def plan_for_lengths(
    weights: Any,
    lengths: Iterable[float],
    price: Price | Priced,
    *,
    backend: Backend = "numpy",
    tolerance: float = 0.0,
) -> list[LengthRange]:
    """Return a table of plans for `x @ weights` over the length of a chunk, from the shortest of `lengths` on.

    Ranges follow one another without a gap; the last is open. Between two lengths the crossover of their plans
    is found by bisection on the two prices. Raises ValueError when no length is given, UnusableWeights as
    `find_structure` does.
    """
    from placement_cli.blocks.finding import find_structure

    priced = price_of(price, dispatched=backend == "mlx")
    return table(find_structure(weights, tolerance), lengths, priced, backend=backend)


def table(
    structure: Structure, lengths: Iterable[float], price: Price, *, backend: Backend = "numpy"
) -> list[LengthRange]:
    """Return the table of `plan_for_lengths` for a structure that is known already."""
    wanted = sorted({whole_samples(length) for length in lengths})
    if not wanted:
        raise ValueError("no lengths of chunks to plan for; give at least one number of samples")
    finder = _Table(structure, price, backend)
    asked = [(samples, finder.best(samples)) for samples in wanted]
    starts = asked[:1]
    for (low, first), (high, second) in pairwise(asked):
        starts += finder.between(low, first, high, second, DEEPEST)
    return _ranges(starts)


def _ranges(starts: list[tuple[int, Choice]]) -> list[LengthRange]:
    kept = [starts[0]]
    for start, choice in starts[1:]:
        if choice.plan != kept[-1][1].plan:
            kept.append((start, choice))
    stops = [start - 1 for start, _ in kept[1:]]
    return [LengthRange(start, stop, c) for (start, c), stop in zip(kept, [*stops, None], strict=True)]


@dataclass(slots=True)
class _Table:
    structure: Structure
    price: Price
    backend: Backend

    def best(self, samples: int) -> Choice:
        return choose(self.structure, samples, self.price, backend=self.backend)[0]

    def between(self, low: int, first: Choice, high: int, second: Choice, depth: int) -> list[tuple[int, Choice]]:
        """Return (start, choice) of the plans that take over after `low`, up to `high`."""
        if first.plan == second.plan or high - low < 2:
            return [(high, second)]
        crossing = self._crossover(low, first, high, second)
        here = self.best(crossing)
        cost = min(self._price(first, crossing), self._price(second, crossing))
        if depth and low < crossing < high and here.predicted_s < (1 - WORTH_A_ROW) * cost:
            left = self.between(low, first, crossing, here, depth - 1)
            return [*left, *self.between(crossing, here, high, second, depth - 1)]
        return [(crossing, self._at(second, crossing))]

    def _crossover(self, low: int, first: Choice, high: int, second: Choice) -> int:
        """Return the shortest length at which the second plan is cheaper, as far as bisection can tell."""
        while high - low > 1:
            middle = (low + high) // 2
            if self._price(second, middle) < self._price(first, middle):
                high = middle
            else:
                low = middle
        return high

    def _price(self, choice: Choice, samples: int) -> float:
        return self.price(choice.formulation, samples)

    def _at(self, choice: Choice, samples: int) -> Choice:
        return Choice(choice.plan, choice.formulation, self._price(choice, samples))
