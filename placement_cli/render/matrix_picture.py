"""A weight matrix as a picture: the fuller a part of it, the darker its cell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from placement_cli.blocks.occupancy import Cells, joined

MOST_COLUMNS = 48
"""Columns of a terminal that the cells of a matrix take at most."""
MOST_LINES = 24
"""Lines at most: a character is about twice as tall as wide, so that these make a square."""
LEAST_COLUMNS = 8
LEAST_LINES = 4
"""A matrix with one side far longer than the other is drawn no thinner than this, where it has the channels."""
IN_BLOCK = "cyan"
OUTSIDE = "dim"


@dataclass(frozen=True, slots=True)
class _Pen:
    """The characters of a picture: shades from empty to full, and the frame."""

    shades: str
    top: str
    bottom: str
    side: str


UNICODE = _Pen(" ░▒▓█", "┌─┐", "└─┘", "│")
ASCII = _Pen(" .:+#", "+-+", "+-+", "|")


def picture_cells(n_in: int, n_out: int, room: int = MOST_COLUMNS) -> tuple[int, int]:
    """Return the columns and lines of cells with which a matrix is drawn in `room` columns of a terminal.

    Small matrices have a cell for every weight. All others keep their aspect ratio, unless it is extreme.
    """
    if n_in <= MOST_LINES and 2 * n_out <= room:
        return n_out, n_in
    columns = min(n_out, room)
    lines = math.ceil(columns * n_in / (2 * n_out))
    if lines > MOST_LINES:
        fitting = max(LEAST_COLUMNS, 2 * MOST_LINES * n_out // n_in)
        columns, lines = min(columns, fitting), MOST_LINES
    return columns, min(n_in, max(LEAST_LINES, lines))


@dataclass(frozen=True, slots=True, eq=False)
class MatrixPicture:
    """A matrix of `n_in` inputs x `n_out` outputs in shades, inside a frame labelled with its channels.

    `occupancy` is the share of nonzero weights (0 to 1) in cells of equal size, lines over inputs, as
    `placement_cli.blocks.occupancy` counts it for `picture_cells`; where the terminal is narrower, cells are
    joined. No cell with a nonzero weight looks empty. `blocks` are the (inputs, outputs) of a plan's blocks, in
    the channels as drawn: they are coloured, what is beside them is dim.
    """

    occupancy: NDArray[np.float64]
    n_in: int
    n_out: int
    blocks: Sequence[tuple[slice, slice]] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the labels of the outputs, then the frame with the cells and the labels of the inputs."""
        if not self.occupancy.size:
            yield Text(f"{self.n_in} inputs x {self.n_out} outputs: nothing to draw")
            return
        pen = ASCII if options.ascii_only else UNICODE
        margin = max(len("inputs"), len(str(self.n_in - 1)))
        room = max(1, min(MOST_COLUMNS, options.max_width - margin - len(" ││")))
        rows = list(self._rows(pen, room))
        wide = rows[0].cell_len
        yield _output_labels(self.n_out, margin + len(" │"), wide, options.max_width)
        yield Text(f"{'inputs':>{margin}} {_edge(pen.top, wide)}")
        for label, row in zip(_input_labels(self.n_in, len(rows)), rows, strict=True):
            yield Text.assemble(f"{label:>{margin}} {pen.side}", row, pen.side)
        yield Text(f"{'':>{margin}} {_edge(pen.bottom, wide)}")

    def _rows(self, pen: _Pen, room: int) -> Iterator[Text]:
        """Yield the cells, a line each."""
        cells = joined(self.occupancy, self.n_in, self.n_out, *picture_cells(self.n_in, self.n_out, room))
        is_whole = cells.shares.shape == (self.n_in, self.n_out) and 2 * self.n_out <= room
        darkest = len(pen.shades) - 1
        levels = np.clip(np.ceil(cells.shares * darkest), 0, darkest).astype(int)
        planned = _covered(self.blocks, cells)
        for level_row, planned_row in zip(levels.tolist(), planned.tolist(), strict=True):
            yield _row([pen.shades[level] * (2 if is_whole else 1) for level in level_row], planned_row)


def _covered(blocks: Sequence[tuple[slice, slice]], cells: Cells) -> NDArray[np.bool_]:
    """Return which cells have a weight of a block."""
    covered = np.zeros(cells.shares.shape, np.bool_)
    for ins, outs in blocks:
        covered[_cells_of(ins, cells.in_edges), _cells_of(outs, cells.out_edges)] = True
    return covered


def _cells_of(channels: slice, edges: NDArray[np.intp]) -> slice:
    if channels.start >= channels.stop:
        return slice(0, 0)
    first = int(np.searchsorted(edges, channels.start, side="right")) - 1
    return slice(first, int(np.searchsorted(edges, channels.stop, side="left")))


def _row(cells: Sequence[str], planned: Sequence[bool]) -> Text:
    row = Text()
    for is_planned, run in groupby(zip(cells, planned, strict=True), key=lambda pair: pair[1]):
        row.append("".join(cell for cell, _ in run), style=IN_BLOCK if is_planned else OUTSIDE)
    return row


def _edge(corners: str, wide: int) -> str:
    return corners[0] + corners[1] * wide + corners[2]


def _input_labels(n_in: int, lines: int) -> list[str]:
    """Return the first and the last channel beside the first and the last line."""
    return ["0", *[""] * (lines - 2), *([str(n_in - 1)] if lines > 1 else [])]


def _output_labels(n_out: int, left: int, wide: int, max_width: int) -> Text:
    """Return the first and the last channel over the cells, or in words where these are too few."""
    last = str(n_out - 1)
    if wide >= len(f"0 outputs {last}"):
        return Text(" " * left + f"0{'outputs':^{wide - 1 - len(last)}}{last}")
    words = f"outputs 0-{last}" if n_out > 1 else "outputs 0"
    return Text(" " * max(0, min(left, max_width - len(words))) + words)
