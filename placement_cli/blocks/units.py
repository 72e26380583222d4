"""The smallest blocks that a merge starts from: arrays of where each begins and ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from placement_cli.blocks.plan import Run

if TYPE_CHECKING:
    from placement_cli.blocks.extents import Mask, Numbers
    from placement_cli.blocks.formulation import Kind


@dataclass(frozen=True, slots=True)
class Block:
    """One block, maybe merged of several: from corner to corner, as Python integers."""

    row_start: int
    row_stop: int
    column_start: int
    column_stop: int

    @property
    def rows(self) -> int:
        """Inputs."""
        return self.row_stop - self.row_start

    @property
    def columns(self) -> int:
        """Outputs."""
        return self.column_stop - self.column_start

    @property
    def is_single(self) -> bool:
        """Whether this is one weight."""
        return self.rows == self.columns == 1

    def run(self, kind: Kind, count: int = 1, row_step: int = 0) -> Run:
        """Return `count` blocks of this shape, this one first."""
        return Run(kind, self.row_start, self.rows, self.column_start, self.columns, count, row_step)


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Blocks in the order of their columns, which do not overlap; rows may.

    `shared_sum` tells which are a diagonal plus a constant, `wall_after` which must not be merged with the next
    because other blocks write the columns between them.
    """

    row_start: Numbers
    row_stop: Numbers
    column_start: Numbers
    column_stop: Numbers
    shared_sum: Mask
    wall_after: Mask

    @classmethod
    def of(
        cls, rows: tuple[Numbers, Numbers], columns: tuple[Numbers, Numbers], shared_sum: Mask | None = None
    ) -> Units:
        """Return blocks from (start, stop) of rows and columns, without walls; sorted by column."""
        none = np.zeros(len(rows[0]), np.bool_)
        flags = none if shared_sum is None else shared_sum
        order = np.argsort(columns[0], kind="stable")
        return cls(rows[0][order], rows[1][order], columns[0][order], columns[1][order], flags[order], none)

    def walled(self, elsewhere: Numbers) -> Units:
        """Return the same blocks with a wall wherever one of the columns `elsewhere` lies between two."""
        before = np.searchsorted(np.sort(elsewhere), self.column_stop)
        after = np.searchsorted(np.sort(elsewhere), np.append(self.column_start[1:], self.column_stop[-1:]))
        return replace(self, wall_after=after > before)

    def __len__(self) -> int:
        return len(self.row_start)

    def same_as(self, other: Units) -> bool:
        """Whether these are the same blocks."""
        return all(
            np.array_equal(mine, theirs)
            for mine, theirs in (
                (self.row_start, other.row_start),
                (self.row_stop, other.row_stop),
                (self.column_start, other.column_start),
                (self.column_stop, other.column_stop),
            )
        )

    def hull(self, first: int, stop: int) -> Block:
        """Return the block that reaches over the blocks from `first` up to `stop`."""
        return Block(
            int(self.row_start[first:stop].min()),
            int(self.row_stop[first:stop].max()),
            int(self.column_start[first]),
            int(self.column_stop[stop - 1]),
        )

    def row_step(self, first: int) -> int:
        """Return how many inputs after this block the next one begins."""
        return int(self.row_start[first + 1] - self.row_start[first])

    @property
    def shapes(self) -> Numbers:
        """(rows, columns) of every block."""
        return np.stack([self.row_stop - self.row_start, self.column_stop - self.column_start], axis=1)

    def count_runs(self) -> int:
        """Return how many stretches of equal blocks and single blocks there are."""
        stretches = self.stretches()
        return len(self) - sum(stop - first - 1 for first, stop in stretches)

    def stretches(self) -> list[tuple[int, int]]:
        """Return (first, stop) of the longest stretches of at least two equal blocks at equal distances.

        Their columns follow one another without a gap. Stretches do not overlap; greedy from the left.
        """
        found: list[tuple[int, int]] = []
        steps = self._steps()
        first = 0
        while first < len(steps):
            stop = first
            while stop < len(steps) and steps[stop] == steps[first] != 0:
                stop += 1
            if stop > first:
                found.append((first, stop + 1))
            first = stop + 1
        return found

    def _steps(self) -> list[int]:
        """Return of every block but the last how far on the next reads; 0 where the next is no equal neighbour."""
        if len(self) < 2:
            return []
        alike = (np.diff(self.shapes, axis=0) == 0).all(axis=1)
        alike &= self.column_start[1:] == self.column_stop[:-1]
        steps: list[int] = np.where(alike, np.diff(self.row_start), 0).tolist()
        return steps
