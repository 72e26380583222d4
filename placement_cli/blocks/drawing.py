"""Products drawn at random: what costs are fitted to, and what the planner is tested on.

Any beginning of a drawing covers the ranges evenly (a scrambled Sobol sequence), so a fit that runs out of time
has seen a bit of everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Generator = np.random.Generator


class Layout(StrEnum):
    """How the blocks of a drawn product lie."""

    UNIFORM = "uniform"
    """Equal square blocks along the diagonal."""
    IRREGULAR = "irregular"
    """Blocks of unequal, not always square shapes along the diagonal."""
    MIXED = "mixed"
    """A run of equal blocks, then unequal ones."""
    SHUFFLED = "shuffled"
    """Equal blocks whose channels are out of order."""
    UNUSED = "unused"
    """Blocks with unused channels between them."""
    CROSSED = "crossed"
    """Equal blocks with a few dense rows and columns."""
    BAND = "band"
    """Outputs that read a few neighbouring inputs each."""
    DIAGONAL = "diagonal"
    """One weight a channel."""


SHARES: Mapping[Layout, float] = {
    Layout.UNIFORM: 0.27,
    Layout.IRREGULAR: 0.19,
    Layout.MIXED: 0.12,
    Layout.SHUFFLED: 0.15,
    Layout.UNUSED: 0.07,
    Layout.CROSSED: 0.06,
    Layout.BAND: 0.06,
    Layout.DIAGONAL: 0.08,
}
"""How often each layout is drawn."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """What is drawn from, both ends included; sizes are drawn evenly in their logarithm."""

    channels: tuple[int, int] = (64, 3072)
    samples: tuple[int, int] = (1, 4000)
    block: tuple[int, int] = (4, 512)
    most_macs: float = 2e9
    """Multiply-accumulates of the dense product: with more the chunk is drawn shorter."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One product: its layout, about how many channels, its largest block, the samples of a chunk, and the seed."""

    layout: Layout
    channels: int
    block: int
    samples: int
    seed: int

    def weights(self) -> NDArray[np.float32]:
        """Return the weights, inputs x outputs; the same every time."""
        generator = np.random.default_rng(self.seed)
        return _MAKERS[self.layout](self, generator)


def draw(number: int, seed: int, ranges: Ranges | None = None) -> list[Drawn]:
    """Return `number` products drawn from `ranges`; the same for the same seed, and a longer drawing begins alike."""
    from scipy.stats.qmc import Sobol

    within = ranges or Ranges()
    points = Sobol(4, rng=np.random.default_rng(seed)).random(1 << max(number - 1, 1).bit_length())
    return [_drawn(point, seed + at, within) for at, point in enumerate(points[:number].tolist())]


def _drawn(point: list[float], seed: int, ranges: Ranges) -> Drawn:
    layout = _layout(point[0])
    channels = _between(ranges.channels, point[1])
    block = _between((ranges.block[0], min(ranges.block[1], channels // 2)), point[2])
    longest = max(1, min(ranges.samples[1], int(ranges.most_macs / channels**2)))
    samples = min(_between(ranges.samples, point[3]), longest)
    return Drawn(layout, channels, block, samples, seed)


def _layout(share: float) -> Layout:
    reached = 0.0
    for layout, part in SHARES.items():
        reached += part
        if share < reached:
            return layout
    return Layout.UNIFORM


def _between(ends: tuple[int, int], share: float) -> int:
    low, high = ends
    grown: float = low * (high / low) ** share
    return min(high, max(low, round(grown)))


Blocks = list[tuple[int, int]]


def _equal(drawn: Drawn) -> Blocks:
    return [(drawn.block, drawn.block)] * max(2, drawn.channels // drawn.block)


def _unequal(drawn: Drawn, generator: Generator, channels: int) -> Blocks:
    """Return blocks of up to `drawn.block` rows that take about `channels`, four in five of them square."""
    found: Blocks = []
    while sum(rows for rows, _ in found) < channels or len(found) < 2:
        rows = int(generator.integers(max(1, drawn.block // 8), drawn.block + 1))
        square = generator.random() < 0.8
        found.append((rows, rows if square else max(1, int(rows * generator.uniform(0.3, 2.0)))))
    return found


def _along_diagonal(blocks: Blocks, generator: Generator, gaps: int = 0) -> NDArray[np.float32]:
    """Return the matrix of `blocks` with `gaps` unused rows and columns after every block."""
    shape = sum(rows + gaps for rows, _ in blocks), sum(columns + gaps for _, columns in blocks)
    matrix = np.zeros(shape, np.float32)
    row = column = 0
    for rows, columns in blocks:
        matrix[row : row + rows, column : column + columns] = _normal(generator, rows, columns)
        row, column = row + rows + gaps, column + columns + gaps
    return matrix


def _normal(generator: Generator, rows: int, columns: int) -> NDArray[Any]:
    return generator.standard_normal((rows, columns), dtype=np.float32)


def _mixed(drawn: Drawn, generator: Generator) -> NDArray[np.float32]:
    half = max(2, drawn.channels // (2 * drawn.block))
    rest = _unequal(drawn, generator, drawn.channels // 2)
    return _along_diagonal([(drawn.block, drawn.block)] * half + rest, generator)


def _shuffled(drawn: Drawn, generator: Generator) -> NDArray[np.float32]:
    matrix = _along_diagonal(_equal(drawn), generator)
    return matrix[generator.permutation(len(matrix))][:, generator.permutation(len(matrix))]


def _crossed(drawn: Drawn, generator: Generator) -> NDArray[np.float32]:
    matrix = _along_diagonal(_equal(drawn), generator)
    size = len(matrix)
    for axis in (0, 1):
        for at in generator.choice(size, int(generator.integers(0, 3)) + (axis == 1), replace=False):
            matrix[(at, slice(None)) if axis == 0 else (slice(None), at)] = _normal(generator, 1, size)[0]
    return matrix


def _band(drawn: Drawn, generator: Generator) -> NDArray[np.float32]:
    """Return a matrix with a tenth of a block of diagonals on either side of the main one."""
    reach = max(1, drawn.block // 10)
    inputs, outputs = np.ogrid[: drawn.channels, : drawn.channels]
    return np.where(np.abs(inputs - outputs) <= reach, _normal(generator, drawn.channels, drawn.channels), 0)


_MAKERS: Mapping[Layout, Callable[[Drawn, Generator], NDArray[np.float32]]] = {
    Layout.UNIFORM: lambda drawn, generator: _along_diagonal(_equal(drawn), generator),
    Layout.IRREGULAR: lambda drawn, generator: _along_diagonal(_unequal(drawn, generator, drawn.channels), generator),
    Layout.MIXED: _mixed,
    Layout.SHUFFLED: _shuffled,
    Layout.UNUSED: lambda drawn, generator: _along_diagonal(_equal(drawn), generator, gaps=max(1, drawn.block // 4)),
    Layout.CROSSED: _crossed,
    Layout.BAND: _band,
    Layout.DIAGONAL: lambda drawn, generator: np.diag(_normal(generator, 1, drawn.channels)[0]),
}
