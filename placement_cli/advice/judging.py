"""Judges placements: which are feasible, and of those the least host time, then what is simplest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from placement_cli.advice.feasible import Bounds, Demand, met, within
from placement_cli.advice.memory import message_bytes, peak_bytes
from placement_cli.advice.playing import Outcome, Stage
from placement_cli.timeline.program import Flags, Vector
from placement_cli.timeline.schedule import ASYNC, OFF, SYNC, WINDOW, Batch

TIE = 0.03
"""Host times closer than this are equal: the smallest effect that a measurement claims."""
CARELESS_BYTES = 64 << 20
"""Memory below this is no argument."""
CLOSE_BYTES = 1.1
"""Bytes in flight are equal up to this ratio."""
PLAINNESS = (0, 1, 3, 2, 4)
"""Of placements that are otherwise equal the one with the smaller sum wins; by mode, in the order of their numbers."""
LOOP_PLAINNESS = (0, 2, 3, 1, 4)
"""In a loop somebody looks at each step soon: a step ahead is of use, a queue of steps is not."""

Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Tried:
    """Placements that were played, with what they do and whether they are feasible."""

    batch: Batch
    outcome: Outcome
    memory: Vector
    safe: Flags
    fine: Flags

    @property
    def points(self) -> NDArray[np.int64]:
        """How many evaluation points each has."""
        return np.asarray((self.batch.codes != OFF).sum(axis=1), dtype=np.int64)


class Judge:
    """Judges placements of a stage; `pinned` flags the columns that no advice may change."""

    def __init__(
        self, stage: Stage, bounds: Bounds, needed: Sequence[Demand], current: Batch, pinned: Flags, error: float
    ) -> None:
        self.stage, self.bounds, self.needed = stage, bounds, needed
        self.current, self.pinned, self.error = current, pinned, error
        self.kind = stage.flow.graph.source.kind
        self.one_message = message_bytes(stage.flow, stage.loads)
        self.reachable = self._reachable()

    def _reachable(self) -> tuple[Demand, ...]:
        """Return the demands that points at all outputs meet: what a pinned point leaves open, nothing can mend."""
        free = ~self.pinned[None, :]
        codes = np.where(free, ASYNC, self.current.codes).astype(np.int8)
        every = Batch(codes, np.where(free, 0, self.current.depths).astype(np.int32))
        return tuple(demand for demand in self.needed if demand.met(every)[0])

    def try_all(self, batch: Batch) -> Tried:
        """Play a batch and judge every row."""
        outcome = self.stage.play(batch)
        memory = self._memory(batch, outcome)
        safe = met(self.reachable, batch)
        return Tried(batch, outcome, memory, safe, safe & within(outcome, memory, self.bounds))

    def _memory(self, batch: Batch, outcome: Outcome) -> Vector:
        """Return the bytes in flight; where waits part a message only its largest piece counts."""
        memory = outcome.in_flight_bytes.copy()
        if self.one_message > 0:
            for row in np.flatnonzero((batch.codes == SYNC).any(axis=1)):
                peak = peak_bytes(self.stage.flow, self.stage.loads, self.stage.placement(batch, int(row)))
                memory[row] *= min(1.0, peak / self.one_message)
        return memory

    def cost(self, tried: Tried) -> Vector:
        """Return what is minimised: the time that the host is held; and for one pass, the pass."""
        return tried.outcome.period_s if self.kind == "once" else tried.outcome.host_s

    def best(self, tried: Tried, most: int) -> Rows:
        """Return the rows worth going on with: where nothing grows, nearest to the limits, with the least host time."""
        usable = tried.safe if tried.safe.any() else np.ones(len(tried.batch), dtype=bool)
        cost = np.round(np.log(np.maximum(self.cost(tried), 1e-12)) / TIE)
        beyond = np.round(np.log(1.0 + self.excess(tried)) / TIE)
        order = np.lexsort((tried.points, cost, beyond, ~usable))
        return order[: min(most, int(usable.sum()))]

    def excess(self, tried: Tried) -> Vector:
        """Return by how much each breaks the limit that it breaks most, as a share of it; 0 where all are kept."""
        found = np.zeros(len(tried.batch))
        bounds, outcome = self.bounds, tried.outcome
        if bounds.period_s is not None:
            found = np.maximum(found, np.maximum(outcome.period_s, outcome.busiest_s) / bounds.period_s - 1.0)
        if bounds.latency_s is not None:
            found = np.maximum(found, outcome.latency_p90_s / bounds.latency_s - 1.0)
        if bounds.memory_bytes is not None:
            found = np.maximum(found, tried.memory / max(1, bounds.memory_bytes) - 1.0)
        return found

    def choose(self, tried: Tried) -> int:
        """Return the best row.

        A point that only the model justifies must win more than the model's error against those that need no model;
        but nothing is advised that is slower than what is there and keeps the limits.
        """
        cost = self.cost(tried)
        usable = tried.fine if tried.fine.any() else self._least_wrong(tried)
        best = self._simplest(tried, usable, cost)
        plain = usable & self._plain(tried.batch)
        if plain.any():
            simple = self._simplest(tried, plain, cost)
            slower = cost[simple] > cost[usable & self._today(tried.batch)].min(initial=np.inf) * (1.0 + TIE)
            if cost[best] > cost[simple] * (1.0 - self.error) and not slower:
                return simple
        return best

    def _today(self, batch: Batch) -> Flags:
        """Flag the current placement."""
        same = (batch.codes == self.current.codes) & (batch.depths == self.current.depths)
        return np.asarray(same.all(axis=1))

    def ranked(self, tried: Tried) -> list[int]:
        """Return the feasible rows (all where none is), the least host time first."""
        usable = tried.fine if tried.fine.any() else np.ones(len(tried.batch), dtype=bool)
        order = np.lexsort((tried.points, self.cost(tried)))
        return [int(row) for row in order if usable[row]]

    def _least_wrong(self, tried: Tried) -> Flags:
        """Return the rows that break the limits least, those where nothing grows first."""
        safe = tried.safe if tried.safe.any() else np.ones(len(tried.batch), dtype=bool)
        excess = np.where(safe, self.excess(tried), np.inf)
        return np.asarray(safe & (1.0 + excess <= (1.0 + excess.min()) * (1.0 + TIE)))

    def _plain(self, batch: Batch) -> Flags:
        """Flag what needs no model: no waits, and points only where one is demanded, at the tail, or as they are."""
        columns = {node.number: column for column, node in enumerate(self.stage.flow.mlx_nodes)}
        allowed = self.pinned.copy()
        allowed[[columns[number] for number in self.stage.flow.tails]] = True
        allowed |= covering(self.needed, self.current, self.pinned).codes[0] != OFF
        light = (batch.codes == OFF) | (batch.codes == ASYNC) | (batch.codes == WINDOW) | self.pinned[None, :]
        only_there = ~((batch.codes != OFF) & ~allowed[None, :]).any(axis=1)
        return np.asarray(light.all(axis=1) & (only_there | self._today(batch)))

    def _simplest(self, tried: Tried, usable: Flags, cost: Vector) -> int:
        """Return the best usable row: host time up to ties, then (live) latency, memory, points, changes, plainness."""
        least = cost[usable].min()
        tied = usable & (cost <= least * (1.0 + TIE))
        if self.kind == "live":
            latency = tried.outcome.latency_s
            tied &= latency <= latency[tied].min() * (1.0 + TIE)
        small = np.maximum(tried.memory, CARELESS_BYTES)
        tied &= small <= small[tied].min() * CLOSE_BYTES
        rows = np.flatnonzero(tied)
        codes = tried.batch.codes[rows]
        plainness = np.array(LOOP_PLAINNESS if self.kind == "loop" else PLAINNESS)[codes].sum(axis=1)
        changes = (codes != self.current.codes).sum(axis=1)
        depth = tried.batch.depths[rows].sum(axis=1)
        late = -(np.arange(1, codes.shape[1] + 1) * (codes != OFF)).sum(axis=1)
        order = np.lexsort((np.round(cost[rows], 12), late, depth, plainness, changes, tried.points[rows]))
        return int(rows[order[0]])


def covering(needed: Sequence[Demand], current: Batch, pinned: Flags) -> Batch:
    """Return the placement with the pinned points, and one point for each demand, as late as possible."""
    codes, depths = np.where(pinned, current.codes, OFF), np.where(pinned, current.depths, 0)
    found = Batch(codes.astype(np.int8), depths.astype(np.int32))
    for demand in sorted(needed, key=lambda demand: len(demand.sites)):
        free = [site for site in demand.sites if not pinned[site]]
        if free and not demand.met(found)[0]:
            found.codes[0, max(free)] = ASYNC
    return found


def stacked(batches: Sequence[Batch]) -> Batch:
    """Return all rows of several batches in order."""
    return Batch(
        np.concatenate([batch.codes for batch in batches]), np.concatenate([batch.depths for batch in batches])
    )


def distinct(batch: Batch) -> Rows:
    """Return the first row of every placement, in order."""
    both = np.concatenate([batch.codes.astype(np.int32), batch.depths], axis=1)
    _, first = np.unique(both, axis=0, return_index=True)
    return np.sort(first)


def together(parts: Sequence[Tried]) -> Tried:
    """Return what was tried in several parts, each placement once."""
    batch = stacked([part.batch for part in parts])
    keep = distinct(batch)
    outcome = Outcome(
        **{
            field.name: np.concatenate([getattr(part.outcome, field.name) for part in parts])[keep]
            for field in fields(Outcome)
        }
    )
    memory, safe, fine = (
        np.concatenate([getattr(part, name) for part in parts])[keep] for name in ("memory", "safe", "fine")
    )
    return Tried(Batch(batch.codes[keep], batch.depths[keep]), outcome, memory, safe, fine)
