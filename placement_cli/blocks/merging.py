"""The cheapest way of computing blocks that follow one another: which to merge, which runs to batch.

A merged block covers its parts from corner to corner. As prices add up over parts, the cheapest cover of the
first j blocks is the cheapest cover of the first i plus one part over the blocks i to j, for the best i: a
shortest path, F(j) = min over i of F(i) + T(i, j), found by dynamic programming. Parts are single merged
blocks, and within stretches of equal blocks uniform parts: every m blocks merged, all of these merged blocks
in a loop or in one batched call.

What keeps it fast: prices of shapes are remembered; longer merges are given up once they have cost more than
their pieces several times in a row; of merges of many blocks not every number is tried; deep inside long
stretches of equal blocks no merge begins or ends but the uniform ones, whose order does not matter; and of very
many blocks neighbours are merged beforehand.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from placement_cli.blocks.formulation import Kind
from placement_cli.blocks.units import Block

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from placement_cli.blocks.plan import Run
    from placement_cli.blocks.pricing import PartPrice
    from placement_cli.blocks.units import Units

PATIENCE = 8
"""Longer merges in a row that do not pay before the search for longer ones ends; prices have steps."""
EDGE = 48
"""Blocks at either end of a stretch of equal blocks between which any merge may begin or end."""
EVERY = 24
GROWTH = 1.25
"""Merges of up to EVERY blocks are all tried, of longer ones those that are longer by this factor each."""
MOST_POSITIONS = 512
"""Positions at which a merge may begin or end, at most, when there are more blocks than that."""
BATCHED = (Kind.BATCH, Kind.GATHER_MM)


class _Step(NamedTuple):
    """A part over the blocks up to position `to`, and what it costs."""

    to: int
    cost: float
    run: Run


class _Merge(NamedTuple):
    """The merge of all blocks up to position `to`: its price and the rows it reads."""

    to: int
    cost: float
    low: int
    high: int


def separate(units: Units) -> tuple[Run, ...]:
    """Return every block by itself, stretches of equal ones as one loop."""
    runs: list[Run] = []
    at = 0
    for first, stop in [*units.stretches(), (len(units), len(units))]:
        runs += [units.hull(i, i + 1).run(Kind.LOOP) for i in range(at, first)]
        if stop > first:
            runs.append(units.hull(first, first + 1).run(Kind.LOOP, stop - first, units.row_step(first)))
        at = stop
    return tuple(runs)


def cheapest(units: Units, price: PartPrice, kinds: frozenset[Kind]) -> tuple[Run, ...]:
    """Return runs that cover `units`, in order, at the lowest sum of prices, of the given kinds and LOOP."""
    if len(units) == 0:
        return ()
    stretches = units.stretches()
    nodes = _positions(len(units), stretches)
    jumps = defaultdict(list)
    for first, stop in stretches:
        for start, step in _uniform(units, first, stop, price, kinds):
            jumps[start].append(step)
    if Kind.SHARED_SUM in kinds:
        for i in np.flatnonzero(units.shared_sum).tolist():
            block = units.hull(i, i + 1)
            cost = price(Kind.SHARED_SUM, block.rows, block.columns)
            jumps[i].append(_Step(i + 1, cost, block.run(Kind.SHARED_SUM)))
    return _shortest(_Merges(units, nodes, price), jumps)


def _positions(count: int, stretches: list[tuple[int, int]]) -> list[int]:
    """Return between which blocks a merge may begin or end: everywhere but deep inside a long stretch."""
    inner = np.zeros(count + 1, np.bool_)
    ends = np.zeros(count + 1, np.bool_)
    ends[[0, count]] = True
    for first, stop in stretches:
        inner[first + EDGE + 1 : max(stop - EDGE, first + EDGE + 1)] = True
        ends[[first, stop]] = stop - first > EDGE
    nodes = np.flatnonzero(~inner)
    if len(nodes) > MOST_POSITIONS:
        some = nodes[:: -(-len(nodes) // MOST_POSITIONS)]
        nodes = np.union1d(some, np.flatnonzero(ends))
    positions: list[int] = nodes.tolist()
    return positions


def _shortest(merges: _Merges, jumps: Mapping[int, list[_Step]]) -> tuple[Run, ...]:
    best = dict.fromkeys(merges.nodes, inf)
    came: dict[int, tuple[int, _Step | _Merge]] = {}
    best[0] = 0.0
    for at, node in enumerate(merges.nodes[:-1]):
        spent = best[node]
        steps: Iterator[_Step | _Merge] = chain(jumps.get(node, ()), merges.steps(at, spent))
        for step in steps:
            total = spent + step.cost
            if total < best.get(step.to, -inf):
                best[step.to] = total
                came[step.to] = (node, step)
    runs: list[Run] = []
    node = merges.nodes[-1]
    while node > 0:
        node, taken = came[node]
        runs.append(taken.run if isinstance(taken, _Step) else merges.run(node, taken))
    return tuple(reversed(runs))


class _Merges:
    """Single merged blocks from one position to a later one."""

    def __init__(self, units: Units, nodes: list[int], price: PartPrice) -> None:
        """Reduce the blocks between neighbouring positions to one each."""
        self.nodes = nodes
        self._number = {node: number for number, node in enumerate(nodes)}
        self._price = price
        starts = np.array(nodes[:-1])
        self._low: list[int] = np.minimum.reduceat(units.row_start, starts).tolist()
        self._high: list[int] = np.maximum.reduceat(units.row_stop, starts).tolist()
        self._left: list[int] = units.column_start[starts].tolist()
        self._right: list[int] = units.column_stop[np.array(nodes[1:]) - 1].tolist()
        self._walled: list[bool] = units.wall_after[np.array(nodes[1:]) - 1].tolist()
        self._alone = [
            price(Kind.LOOP, high - low, right - left)
            for low, high, left, right in zip(self._low, self._high, self._left, self._right, strict=True)
        ]
        self._bound = sum(self._alone)
        if not any(self._walled):
            whole = price(Kind.LOOP, max(self._high) - min(self._low), self._right[-1] - self._left[0])
            self._bound = min(self._bound, whole)

    def run(self, node: int, merge: _Merge) -> Run:
        """Return the block that merges everything from `node` on."""
        first, last = self._number[node], self._number[merge.to] - 1
        left, right = self._left[first], self._right[last]
        return Block(merge.low, merge.high, left, right).run(Kind.LOOP)

    def steps(self, at: int, spent: float) -> Iterator[_Merge]:
        """Yield merges from position number `at`, reached at a cost of `spent`, to ever later ones."""
        low, high, left = self._low[at], self._high[at], self._left[at]
        paid, misses, tried = 0.0, 0, at
        for to in range(at, len(self._alone)):
            low, high = min(low, self._low[to]), max(high, self._high[to])
            right = self._right[to]
            paid += self._alone[to]
            if to >= tried or self._walled[to]:
                cost = self._price(Kind.LOOP, high - low, right - left)
                misses = misses + 1 if to > at and cost >= paid else 0
                if misses >= PATIENCE or (to > at and spent + cost > self._bound):
                    return
                yield _Merge(self.nodes[to + 1], cost, low, high)
                tried = to + max(1, int((to - at) * (GROWTH - 1)) if to - at >= EVERY else 1)
                paid = cost
            if self._walled[to]:
                return


def _uniform(
    units: Units, first: int, stop: int, price: PartPrice, kinds: frozenset[Kind]
) -> Iterator[tuple[int, _Step]]:
    """Yield steps over the stretch that merge every m blocks, beginning at its start or ending at its end."""
    if Kind.ELEMENTWISE in kinds and units.hull(first, first + 1).is_single:
        kinds = kinds - set(BATCHED)  # which would multiply by the zeros beside a diagonal
    yield from _whole_stretch(units, first, stop, price, kinds)
    batched = [kind for kind in BATCHED if kind in kinds]
    length, row_step = stop - first, units.row_step(first)
    lowest, misses = inf, 0
    for m in range(1, length // 2 + 1):
        count = length // m
        merged = units.hull(first, first + m)
        costs = {kind: price(kind, merged.rows, merged.columns, count) for kind in batched}
        costs[Kind.LOOP] = count * price(Kind.LOOP, merged.rows, merged.columns)
        misses = 0 if min(costs.values()) < lowest else misses + 1
        lowest = min(lowest, *costs.values())
        if misses >= PATIENCE:
            return
        for begin in sorted({first, stop - m * count}):
            block = units.hull(begin, begin + m)
            for kind, cost in costs.items():
                yield begin, _Step(begin + m * count, cost, block.run(kind, count, m * row_step))


def _whole_stretch(
    units: Units, first: int, stop: int, price: PartPrice, kinds: frozenset[Kind]
) -> Iterator[tuple[int, _Step]]:
    """Yield the stretch as a diagonal or as blocks with shared sums, where it is one."""
    length, row_step = stop - first, units.row_step(first)
    block = units.hull(first, first + 1)
    if Kind.ELEMENTWISE in kinds and block.is_single:
        cost = price(Kind.ELEMENTWISE, length, length)
        yield first, _Step(stop, cost, block.run(Kind.ELEMENTWISE, length, row_step))
    adjoining = row_step == block.rows
    if Kind.SHARED_SUM in kinds and adjoining and units.shared_sum[first:stop].all():
        cost = price(Kind.SHARED_SUM, block.rows, block.columns, length)
        yield first, _Step(stop, cost, block.run(Kind.SHARED_SUM, length, row_step))
