"""Finds the placement: what is feasible, then the least host time, then what is simplest.

Up to `EXACT_SITES` outputs every combination of `off` and `async` is played; beyond, single points, pairs with the
tail, and flips of the best. Windows are then tried on the best of these. SYNC is tried only when nothing else is
feasible: inside a graph it never won with fitted constants (cost-models.md 2.6), and `every:K` only for long loops.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from placement_cli.advice.candidates import Candidates
from placement_cli.advice.feasible import Bounds, Demand, demands
from placement_cli.advice.judging import Judge, Rows, Tried, distinct, stacked, together
from placement_cli.advice.playing import Stage
from placement_cli.timeline.program import Flags
from placement_cli.timeline.schedule import Batch

EXACT_SITES = 12
"""Up to so many outputs all 2^n combinations are played."""
ROUNDS, LARGE, LARGE_ROUNDS = 4, 500, 1
"""Rounds of flips from the best so far; graphs with more outputs than `LARGE` get fewer."""
KEPT = 24
"""The best combinations on which windows and the like are tried."""


@dataclass(frozen=True, slots=True)
class Found:
    """The chosen row of `tried`; `proof` says what is known about it."""

    tried: Tried
    row: int
    proof: str


class Search:
    """Searches one stage; `pinned` are columns whose mode stays as it is in `current`."""

    def __init__(self, stage: Stage, bounds: Bounds, current: Batch, pinned: Flags, error: float) -> None:
        self.needed: tuple[Demand, ...] = demands(stage.flow)
        self.judge = Judge(stage, bounds, self.needed, current, pinned, error)
        self.candidates = Candidates(self.judge)

    def run(self) -> Found:
        """Return the chosen placement among all that were tried."""
        tried = self._combinations() if len(self.candidates.free) <= EXACT_SITES else self._local()
        best = self.judge.best(tried, KEPT)
        final = self._with(tried, [self.rules(), *self.candidates.bounded(tried, best)])
        if not final.fine.any():
            final = self._with(final, [*self.candidates.waiting(tried, best), *self.candidates.splits()])
        return Found(final, self.judge.choose(final), self._proof())

    def rules(self) -> Batch:
        """Return the usual rules in a fixed order: current, tail, SYNC at the tail, every node, window, nothing."""
        return self.candidates.rules()

    def try_all(self, batch: Batch) -> Tried:
        """Play a batch and judge every row."""
        return self.judge.try_all(batch)

    def ranked(self, tried: Tried) -> list[int]:
        """Return the feasible rows (all where none is), the least host time first."""
        return self.judge.ranked(tried)

    def _combinations(self) -> Tried:
        return self.try_all(self.candidates.combinations())

    def _local(self) -> Tried:
        tried = self._with(
            None, [self.candidates.safe(stacked([*self.candidates.starts(), *self.candidates.singles()]))]
        )
        best = -1
        for _ in range(ROUNDS if len(self.candidates.free) <= LARGE else LARGE_ROUNDS):
            row = int(self.judge.best(tried, 1)[0])
            if row == best:
                break
            best = row
            tried = self._with(tried, [self.candidates.safe(stacked([*self.candidates.flips(tried, row)]))])
        return tried

    def _with(self, tried: Tried | None, more: Iterable[Batch]) -> Tried:
        """Return what was tried, and more; nothing is played twice."""
        batches = [*more]
        if tried is None:
            batch = stacked(batches)
            return self.try_all(_rows(batch, distinct(batch)))
        if not batches:
            return tried
        known = len(tried.batch)
        fresh = distinct(stacked([tried.batch, *batches]))
        fresh = fresh[fresh >= known] - known
        return together([tried, self.try_all(_rows(stacked(batches), fresh))]) if len(fresh) else tried

    def _proof(self) -> str:
        free, all_of = len(self.candidates.free), self.candidates.count
        if not free:
            return "There is nothing to choose: " + (
                "every output has a pinned evaluation point." if all_of else "no node computes with MLX."
            )
        pinned = all_of - free
        others = f" ({pinned} more {'is' if pinned == 1 else 'are'} pinned)" if pinned else ""
        if free <= EXACT_SITES:
            return (
                f"All {1 << free} combinations of off and async at {free} outputs{others} were tried; none is better "
                "by more than the model's error."
            )
        return (
            f"{free} outputs{others} are too many for all combinations: points at the tail, single points, pairs and "
            "flips of the best were played. It is not proved that none is better."
        )


def _rows(batch: Batch, rows: Rows) -> Batch:
    return Batch(batch.codes[rows], batch.depths[rows])
