"""Which placements are worth trying: rules, combinations of `off` and `async`, and variants of the best of these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from placement_cli.advice.feasible import met
from placement_cli.advice.judging import Judge, Rows, Tried, covering, stacked
from placement_cli.advice.memory import split_by_bytes
from placement_cli.timeline.schedule import ASYNC, EVERY, OFF, SYNC, WINDOW, Batch

MOST_PLAYED = 1_000_000
"""Where not all combinations are played: how many placements one round has falls with the nodes to the power of 1.3, so
that it takes a second or two at most."""
DEEPEST_WINDOW = 4
"""A deeper window wins nothing but jitter; what it costs is memory."""
USUAL_WINDOW, LOOP_WINDOW = 2, 1
EVERY_K = (10, 100)
STEPS = (2, 4, 8)
"""Points at every so many-th output are tried where not all combinations are."""

Columns = NDArray[np.intp]


class Candidates:
    """Makes placements for what `judge` judges; pinned columns stay as they are today."""

    def __init__(self, judge: Judge) -> None:
        self.judge, self.stage, self.current, self.pinned = judge, judge.stage, judge.current, judge.pinned
        self.flow, self.count = judge.stage.flow, len(judge.stage.names)
        self.free: Columns = np.flatnonzero(~self.pinned)
        self.columns = {node.number: column for column, node in enumerate(self.flow.mlx_nodes)}
        self.tails = np.array([self.columns[number] for number in self.flow.tails], dtype=np.intp)

    def blank(self, rows: int = 1) -> Batch:
        """Return so many placements without a point, but for pinned ones."""
        codes = np.where(self.pinned, self.current.codes, OFF).astype(np.int8)
        depths = np.where(self.pinned, self.current.depths, 0).astype(np.int32)
        return Batch(np.repeat(codes, rows, axis=0), np.repeat(depths, rows, axis=0))

    def with_mode(self, columns: Columns | Sequence[int], code: int, depth: int = 0) -> Batch:
        """Return the placement with one mode at some columns."""
        made = self.blank()
        chosen = [int(column) for column in columns if not self.pinned[int(column)]]
        made.codes[0, chosen], made.depths[0, chosen] = code, depth
        return made

    def rules(self) -> Batch:
        """Return the usual rules in a fixed order: current, tail, SYNC at the tail, every node, window, nothing."""
        return stacked(
            [
                self.current,
                self.with_mode(self.tails, ASYNC),
                self.with_mode(self.tails, SYNC),
                self.with_mode(np.arange(self.count), ASYNC),
                self.with_mode(self.tails, WINDOW, self.depth()),
                self.with_mode((), OFF),
            ]
        )

    def depth(self) -> int:
        """Return the K of a window: what memory allows, no more than is of use."""
        loop = self.flow.graph.source.kind == "loop"
        limit, size = self.judge.bounds.memory_bytes, self.judge.one_message
        if limit is None or size <= 0:
            return LOOP_WINDOW if loop else USUAL_WINDOW
        return max(1, min(LOOP_WINDOW if loop else DEEPEST_WINDOW, int(limit / size) - 1))

    def combinations(self) -> Batch:
        """Return every combination of `off` and `async` at the free columns that meets the demands; else all."""
        count = len(self.free)
        made = self.blank(1 << count)
        bits = (np.arange(1 << count)[:, None] >> np.arange(count)[None, :]) & 1
        made.codes[:, self.free] = bits * ASYNC
        return self.safe(made)

    def safe(self, batch: Batch) -> Batch:
        """Return the placements that meet the demands; all where none does."""
        good = met(self.judge.reachable, batch)
        return Batch(batch.codes[good], batch.depths[good]) if good.any() else batch

    def starts(self) -> Iterator[Batch]:
        """Yield what to begin with where there are too many combinations."""
        every = np.arange(self.count)
        yield self.rules()
        yield self.covering()
        for step in STEPS:
            yield self.with_mode(np.union1d(every[step - 1 :: step], self.tails), ASYNC)

    def covering(self) -> Batch:
        """Return the placement with one point for each demand, as late as possible."""
        return covering(self.judge.needed, self.current, self.pinned)

    def singles(self) -> Iterator[Batch]:
        """Yield single points alone and beside the covering ones; for few columns pairs too."""
        count, room = len(self.free), self._room()
        cover = self.covering()
        for column in self._some(room // 3):
            yield self.with_mode([int(column)], ASYNC)
            if cover.codes[0, column] == OFF:
                yield changed(cover, 0, [column], ASYNC)
        if count * count <= room:
            for pair in combinations(self.free, 2):
                yield self.with_mode([int(column) for column in pair], ASYNC)

    def flips(self, tried: Tried, row: int) -> Iterator[Batch]:
        """Yield one placement with one output changed."""
        codes = tried.batch.codes[row]
        on = np.flatnonzero((codes != OFF) & ~self.pinned)
        for column in np.union1d(self._some(self._room() // 2), on):
            yield changed(tried.batch, row, [column], OFF if codes[column] != OFF else ASYNC)

    def _room(self) -> int:
        return max(16, int(MOST_PLAYED / max(1, self.count) ** 1.3))

    def _some(self, most: int) -> Columns:
        """Return the free columns, evenly spread ones with the last where they are more than `most`."""
        stride = -(-len(self.free) // max(1, most))
        return self.free if stride <= 1 else self.free[::-1][::stride]

    def bounded(self, tried: Tried, rows: Rows) -> Iterator[Batch]:
        """Yield placements with a window, or an evaluation once in a while, at their last points."""
        for row in rows:
            last = self._last_points(tried, int(row))
            for columns in last:
                yield changed(tried.batch, row, columns, WINDOW, self.depth())
            if last and (tried.batch.codes[row] != OFF).sum() == 1 and self._loses_nothing(last[0][0]):
                messages = self.flow.graph.source.messages or 0
                for depth in EVERY_K:
                    if messages >= 10 * depth:
                        yield changed(tried.batch, row, last[0], EVERY, depth)

    def waiting(self, tried: Tried, rows: Rows) -> Iterator[Batch]:
        """Yield placements that wait at their last points: for this message, or the one before."""
        for row in rows:
            for columns in self._last_points(tried, int(row)):
                yield changed(tried.batch, row, columns, WINDOW, 1)
                yield changed(tried.batch, row, columns, SYNC)

    def _last_points(self, tried: Tried, row: int) -> list[list[int]]:
        """Return the last free ASYNC point of every thread: together first, then each for itself."""
        on = (tried.batch.codes[row] == ASYNC) & ~self.pinned
        last = []
        for each in self.stage.executors:
            found = [column for number in each.members if on[column := self.columns[number]]]
            last += found[-1:]
        return [last, *([column] for column in last if len(last) > 1)] if last else []

    def _loses_nothing(self, column: int) -> bool:
        """Whether no result is lost when the output at `column` is not evaluated.

        In a loop the next message is made of it. Elsewhere a later state must hold all of it, and somebody else must
        ask for the values.
        """
        source, number = self.flow.graph.source, self.flow.mlx_nodes[column].number
        if source.kind != "replay":
            return source.kind == "loop"
        carried = [node.number for node in self.flow.stateful if node.node.state != "side"]
        return any(self.flow.above[each] >> number & 1 for each in carried) and column not in self.tails

    def splits(self) -> Iterator[Batch]:
        """Yield placements with interior points chosen by bytes, where one message alone passes the limit."""
        limit = self.judge.bounds.memory_bytes
        if limit is None or self.judge.one_message <= limit:
            return
        for base in (self.current, self.with_mode(self.tails, ASYNC), self.with_mode((), OFF)):
            split = split_by_bytes(self.flow, self.stage.loads, self.stage.placement(base, 0), limit)
            if split is not None:
                made = self.stage.batch([split])
                if (made.codes == self.current.codes)[:, self.pinned].all():
                    yield made


def changed(batch: Batch, row: int | np.intp, columns: Sequence[int | np.intp], code: int, depth: int = 0) -> Batch:
    """Return one row of a batch with another mode at some columns."""
    codes, depths = batch.codes[row].copy(), batch.depths[row].copy()
    codes[columns], depths[columns] = code, depth
    return Batch(codes[None, :], depths[None, :])
