"""Finds the placement: what is feasible, then the least host time, then what is simplest.

Up to `EXACT_SITES` outputs every combination of `off` and `async` is played; beyond, single points, pairs with the
tail, and flips of the best. Windows are then tried on the best of these. SYNC is tried only when nothing else is
feasible: inside a graph it never won with fitted constants (cost-models.md 2.6), and `every:K` only for long loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from placement_cli.advise.feasible import Bounds, Demand, demands, met, within
from placement_cli.advise.memory import message_bytes, peak_bytes, split_by_bytes
from placement_cli.advise.playing import Outcome, Stage
from placement_cli.timeline.program import Flags, Vector
from placement_cli.timeline.schedule import ASYNC, EVERY, OFF, SYNC, WINDOW, Batch, Codes, Depths

EXACT_SITES = 12
"""Up to so many outputs all 2^n combinations are played."""
MOST_PLAYED = 2_000_000
"""Beyond: how many placements one round has falls with the nodes to the power of 1.3, so that it takes a second or
two at most."""
ROUNDS, LARGE, LARGE_ROUNDS = 4, 500, 1
"""Rounds of flips from the best so far; graphs with more nodes than `LARGE` get fewer."""
KEPT = 24
"""The best combinations on which windows and the like are tried."""
TIE = 0.03
"""Host times closer than this are equal: the smallest effect that a measurement claims."""
CARELESS_BYTES = 64 << 20
"""Memory below this is no argument."""
DEEPEST_WINDOW = 4
"""A deeper window wins nothing but jitter; what it costs is memory."""
USUAL_WINDOW, LOOP_WINDOW = 2, 1
EVERY_K = (10, 100)
PLAINNESS = (0, 1, 3, 2, 4)
"""Of placements that are otherwise equal the one with the smaller sum wins; by mode, in the order of their numbers."""
LOOP_PLAINNESS = (0, 2, 3, 1, 4)
"""In a loop somebody looks at each step soon: a step ahead is of use, a queue of steps is not."""


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


@dataclass(frozen=True, slots=True)
class Found:
    """The chosen row of `tried`; `proof` says what is known about it."""

    tried: Tried
    row: int
    proof: str


class Search:
    """Searches one stage; `pinned` are columns whose mode stays as it is in `current`."""

    def __init__(self, stage: Stage, bounds: Bounds, current: Batch, pinned: Flags, error: float) -> None:
        self.stage, self.bounds, self.current, self.pinned, self.error = stage, bounds, current, pinned, error
        self.needed: tuple[Demand, ...] = demands(stage.flow)
        self.free = np.flatnonzero(~pinned)
        order = {node.number: column for column, node in enumerate(stage.flow.mlx_nodes)}
        self.tails = np.array([order[number] for number in stage.flow.tails], dtype=np.intp)
        self.one_message = message_bytes(stage.flow, stage.loads)

    def run(self) -> Found:
        """Return the chosen placement among all that were tried."""
        base, proof = self._bases()
        tried = self.try_all(base)
        best = self._best_rows(tried)
        rules = self.rules()
        variants = _joined([tried_rows(tried, best), *self._variants(tried, best), rules])
        final = self.try_all(variants)
        if not final.fine.any():
            final = self.try_all(_joined([variants, *self._waits(tried, best), *self._splits()]))
        row = self._choose(final)
        return Found(final, row, proof)

    # --- what is tried

    def blank(self, rows: int = 1) -> tuple[Codes, Depths]:
        """Return so many placements without a point, but for pinned ones."""
        codes = np.zeros((rows, len(self.stage.names)), dtype=np.int8)
        depths = np.zeros_like(codes, dtype=np.int32)
        codes[:, self.pinned] = self.current.codes[0, self.pinned]
        depths[:, self.pinned] = self.current.depths[0, self.pinned]
        return codes, depths

    def with_mode(self, columns: NDArray[np.intp] | Sequence[int], code: int, depth: int = 0) -> Batch:
        """Return the placement with one mode at some columns."""
        codes, depths = self.blank()
        chosen = [int(column) for column in columns if not self.pinned[int(column)]]
        codes[0, chosen], depths[0, chosen] = code, depth
        return Batch(codes, depths)

    def rules(self) -> Batch:
        """Return the usual rules in a fixed order: current, tail, SYNC at the tail, every node, window, nothing."""
        every = np.arange(len(self.stage.names))
        return stacked(
            [
                self.current,
                self.with_mode(self.tails, ASYNC),
                self.with_mode(self.tails, SYNC),
                self.with_mode(every, ASYNC),
                self.with_mode(self.tails, WINDOW, self.depth()),
                self.with_mode((), OFF),
            ]
        )

    def depth(self) -> int:
        """Return the K of a window: what memory allows, no more than is of use."""
        usual = LOOP_WINDOW if self.stage.flow.graph.source.kind == "loop" else USUAL_WINDOW
        if self.bounds.memory_bytes is None or self.one_message <= 0:
            return usual
        return max(1, min(DEEPEST_WINDOW, int(self.bounds.memory_bytes / self.one_message) - 1))

    def _bases(self) -> tuple[Batch, str]:
        count = len(self.free)
        if count <= EXACT_SITES:
            codes, depths = self.blank(1 << count)
            bits = (np.arange(1 << count)[:, None] >> np.arange(count)[None, :]) & 1
            codes[:, self.free] = bits * ASYNC
            return Batch(codes, depths), (
                f"All {1 << count} combinations of off and async at {count} outputs were played; none is better."
            )
        batch = _joined([*self._starts(), *self._singles()])
        for _ in range(ROUNDS if count <= LARGE else LARGE_ROUNDS):
            tried = self.try_all(batch)
            better = _joined([tried_rows(tried, self._best_rows(tried)[:KEPT]), *self._flips(tried)])
            if len(better) == 0:
                break
            batch = better
        return batch, (
            f"{count} outputs are too many for all combinations: points at the tail, single points, pairs and flips of "
            "the best were played. It is not proved that none is better."
        )

    def _starts(self) -> Iterator[Batch]:
        every = np.arange(len(self.stage.names))
        yield self.with_mode((), OFF)
        yield self.with_mode(self.tails, ASYNC)
        yield self.with_mode(every, ASYNC)
        yield self.current
        yield self._covering()
        for step in (2, 4, 8):
            yield self.with_mode(np.union1d(every[step - 1 :: step], self.tails), ASYNC)

    def _covering(self) -> Batch:
        """Return the placement with one point for each demand, as late as possible."""
        codes, depths = self.blank()
        for demand in sorted(self.needed, key=lambda demand: len(demand.sites)):
            if not (codes[0, list(demand.sites)] != OFF).any():
                codes[0, max(demand.sites)] = ASYNC
        return Batch(codes, depths)

    def _room(self) -> int:
        return max(16, int(MOST_PLAYED / max(1, len(self.stage.names)) ** 1.3))

    def _singles(self) -> Iterator[Batch]:
        """Yield single points alone and beside the covering ones; for few sites pairs too."""
        count, room = len(self.free), self._room()
        some = self.free if count <= room // 3 else self.free[:: -(-3 * count // room)]
        cover = self._covering()
        for column in some:
            yield self.with_mode([int(column)], ASYNC)
            codes = cover.codes.copy()
            codes[0, column] = ASYNC
            yield Batch(codes, cover.depths.copy())
        if count * count <= room:
            for pair in combinations(self.free, 2):
                yield self.with_mode([int(column) for column in pair], ASYNC)

    def _flips(self, tried: Tried) -> Iterator[Batch]:
        """Yield the best placement with one output changed."""
        best = self._best_rows(tried)[:1]
        if not len(best):
            return
        codes, depths = tried.batch.codes[best[0]], tried.batch.depths[best[0]]
        room = self._room() // 2
        some = self.free if len(self.free) <= room else self.free[:: -(-len(self.free) // room)]
        on = np.flatnonzero((codes != OFF) & ~self.pinned)
        for column in np.union1d(some, on):
            changed = codes.copy()
            changed[column] = OFF if changed[column] != OFF else ASYNC
            yield Batch(changed[None, :], depths[None, :].copy())

    def _variants(self, tried: Tried, rows: NDArray[np.intp]) -> Iterator[Batch]:
        """Yield the best combinations with a window, or once in a while, at their last point."""
        long_loop = self.stage.flow.graph.source.kind in {"loop", "replay"}
        messages = self.stage.flow.graph.source.messages or 0
        for row in rows:
            on = np.flatnonzero((tried.batch.codes[row] == ASYNC) & ~self.pinned)
            if not len(on):
                continue
            yield _changed(tried.batch, row, on[-1], WINDOW, self.depth())
            if long_loop and len(on) == 1 and self._piles(on[-1]):
                yield from (
                    _changed(tried.batch, row, on[-1], EVERY, depth) for depth in EVERY_K if messages >= 10 * depth
                )

    def _piles(self, column: int | np.intp) -> bool:
        """Whether nothing is lost when the output at `column` is not evaluated: the next message's depends on it."""
        node = self.stage.flow.mlx_nodes[int(column)]
        return self.stage.flow.graph.source.kind == "loop" or node.node.state == "carried"

    def _waits(self, tried: Tried, rows: NDArray[np.intp]) -> Iterator[Batch]:
        """Yield the best combinations with SYNC at their last point, and a window of one message."""
        for row in rows:
            on = np.flatnonzero((tried.batch.codes[row] == ASYNC) & ~self.pinned)
            for column in on[-1:]:
                yield _changed(tried.batch, row, column, WINDOW, 1)
                yield _changed(tried.batch, row, column, SYNC, 0)

    def _splits(self) -> Iterator[Batch]:
        """Yield placements with interior points chosen by bytes, where one message alone passes the limit."""
        limit = self.bounds.memory_bytes
        if limit is None or self.one_message <= limit:
            return
        for base in (self.current, self.with_mode(self.tails, ASYNC), self.with_mode((), OFF)):
            split = split_by_bytes(self.stage.flow, self.stage.loads, self.stage.placement(base, 0), limit)
            if split is not None:
                yield self.stage.batch([split])

    # --- how they are judged

    def try_all(self, batch: Batch) -> Tried:
        """Play a batch and judge every row."""
        outcome = self.stage.play(batch)
        memory = self._memory(batch, outcome)
        safe = met(self.needed, batch)
        return Tried(batch, outcome, memory, safe, safe & within(outcome, memory, self.bounds))

    def _memory(self, batch: Batch, outcome: Outcome) -> Vector:
        """Return the bytes in flight; where interior waits part a message only its largest piece counts."""
        memory = outcome.in_flight_bytes.copy()
        inner = (batch.codes == SYNC).sum(axis=1) > 1
        if self.one_message > 0 and inner.any() and self.bounds.memory_bytes is not None:
            for row in np.flatnonzero(inner):
                peak = peak_bytes(self.stage.flow, self.stage.loads, self.stage.placement(batch, int(row)))
                memory[row] *= peak / self.one_message
        return memory

    def _best_rows(self, tried: Tried) -> NDArray[np.intp]:
        """Return the rows worth going on with: those where nothing grows, the least host time first."""
        usable = tried.safe if tried.safe.any() else np.ones(len(tried.batch), dtype=bool)
        cost = np.where(usable, self._cost(tried), np.inf)
        order = np.lexsort((tried.points, np.round(np.log(np.maximum(cost, 1e-12)) / TIE)))
        return order[: min(KEPT, int(usable.sum()))]

    def _cost(self, tried: Tried) -> Vector:
        """Return what is minimised: the time that the host is held; and for one pass, the pass."""
        return tried.outcome.period_s if self.stage.flow.graph.source.kind == "once" else tried.outcome.host_s

    def _choose(self, tried: Tried) -> int:
        cost = self._cost(tried)
        usable = tried.fine if tried.fine.any() else _least_wrong(tried, self.bounds)
        best = self._simplest(tried, usable, cost)
        plain = usable & self._plain(tried.batch)
        if plain.any():
            simple = self._simplest(tried, plain, cost)
            if cost[best] > cost[simple] * (1.0 - self.error):
                return simple
        return best

    def ranked(self, tried: Tried) -> list[int]:
        """Return the feasible rows (all where none is), the least host time first."""
        usable = tried.fine if tried.fine.any() else np.ones(len(tried.batch), dtype=bool)
        order = np.lexsort((tried.points, self._cost(tried)))
        return [int(row) for row in order if usable[row]]

    def _plain(self, batch: Batch) -> Flags:
        """Flag what needs no model to be justified: points only where something demands one, or at the tail."""
        allowed = np.zeros(len(self.stage.names), dtype=bool)
        allowed[self.tails] = True
        allowed |= self.pinned | (self._covering().codes[0] != OFF)
        light = (batch.codes == OFF) | (batch.codes == ASYNC) | (batch.codes == WINDOW) | self.pinned[None, :]
        return np.asarray(light.all(axis=1) & ~((batch.codes != OFF) & ~allowed[None, :]).any(axis=1))

    def _simplest(self, tried: Tried, usable: Flags, cost: Vector) -> int:
        """Return the best usable row: host time up to ties, then latency, memory, points, changes, plainness."""
        least = cost[usable].min()
        tied = usable & (cost <= least * (1.0 + TIE))
        live = self.stage.flow.graph.source.kind == "live"
        latency = tried.outcome.latency_s
        if live:
            tied &= latency <= latency[tied].min() * (1.0 + TIE)
        small = np.maximum(tried.memory, CARELESS_BYTES)
        tied &= small <= small[tied].min() * 1.1
        rows = np.flatnonzero(tied)
        plainness = LOOP_PLAINNESS if self.stage.flow.graph.source.kind == "loop" else PLAINNESS
        weights = np.array(plainness)[tried.batch.codes[rows]].sum(axis=1)
        changes = (tried.batch.codes[rows] != self.current.codes).sum(axis=1)
        depth = tried.batch.depths[rows].sum(axis=1)
        late = -(np.arange(1, len(self.stage.names) + 1) * (tried.batch.codes[rows] != OFF)).sum(axis=1)
        order = np.lexsort((np.round(cost[rows], 12), late, depth, weights, changes, tried.points[rows]))
        return int(rows[order[0]])


def _least_wrong(tried: Tried, bounds: Bounds) -> Flags:
    """Return the rows that break the limits least, those where nothing grows first."""
    safe = tried.safe if tried.safe.any() else np.ones(len(tried.batch), dtype=bool)
    excess = np.zeros(len(tried.batch))
    if bounds.period_s is not None:
        late = np.maximum(tried.outcome.period_s, tried.outcome.busiest_s)
        excess = np.maximum(excess, late / bounds.period_s - 1.0)
    if bounds.latency_s is not None:
        excess = np.maximum(excess, tried.outcome.latency_p90_s / bounds.latency_s - 1.0)
    if bounds.memory_bytes is not None:
        excess = np.maximum(excess, tried.memory / max(1, bounds.memory_bytes) - 1.0)
    excess = np.where(safe, excess, np.inf)
    return np.asarray(excess <= excess.min() * (1.0 + TIE))


def _changed(batch: Batch, row: int | np.intp, column: int | np.intp, code: int, depth: int) -> Batch:
    codes, depths = batch.codes[row].copy(), batch.depths[row].copy()
    codes[column], depths[column] = code, depth
    return Batch(codes[None, :], depths[None, :])


def tried_rows(tried: Tried, rows: NDArray[np.intp]) -> Batch:
    """Return some rows of what was tried as a batch."""
    return Batch(tried.batch.codes[rows], tried.batch.depths[rows])


def stacked(batches: Sequence[Batch]) -> Batch:
    """Return all rows of several batches in order."""
    return Batch(
        np.concatenate([batch.codes for batch in batches]), np.concatenate([batch.depths for batch in batches])
    )


def _joined(batches: Sequence[Batch]) -> Batch:
    """Return all rows of several batches, each placement once, in order."""
    every = stacked(batches)
    both = np.concatenate([every.codes.astype(np.int32), every.depths], axis=1)
    _, first = np.unique(both, axis=0, return_index=True)
    keep = np.sort(first)
    return Batch(every.codes[keep], every.depths[keep])
