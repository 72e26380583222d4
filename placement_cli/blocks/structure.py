"""What a weight matrix looks like: its blocks, in which order, and what is beside them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from placement_cli.blocks.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from placement_cli.blocks.components import Components
    from placement_cli.blocks.extents import Extents
    from placement_cli.blocks.partition import Tile


class Arrangement(StrEnum):
    """How the blocks of a matrix lie."""

    EMPTY = "empty"
    """No weight is nonzero."""
    DENSE = "dense"
    """One block, and nothing to gain from its shape."""
    BAND = "band"
    """One block whose outputs read a few neighbouring inputs each."""
    DIAGONAL = "diagonal"
    """Every output reads one input of its own."""
    CONTIGUOUS = "contiguous"
    """Blocks of neighbouring channels along the diagonal."""
    REORDERED = "reordered"
    """Blocks of neighbouring channels, not along the diagonal, such as swapped banks."""
    PERMUTED = "permuted"
    """Blocks of channels that are not neighbours."""


BAND_SHARE = 0.7
"""A matrix counts as a band when the rows its columns reach over are less than this share of it."""
CHANCE_SHARE = 1e-5
"""Of weights drawn from a normal distribution a few in a million are nearly zero by chance; they are counted
but not worth a sentence."""


@dataclass(frozen=True)
class Pattern:
    """Where the nonzeros of a matrix are: how many, how far they reach, what they tie together.

    `shared_sums` tells of every component whether its weights are a diagonal plus one constant.
    """

    nonzero: int
    extents: Extents
    components: Components
    shared_sums: tuple[bool, ...]

    @cached_property
    def tiles(self) -> list[Tile]:
        """The finest gap-free tiling in the present order of channels."""
        from placement_cli.blocks.partition import tiling

        return tiling(self.extents)

    @cached_property
    def reach(self) -> int:
        """Weights between the first and the last nonzero of every column."""
        used = self.extents.used_columns
        return int((self.extents.last_row[used] - self.extents.first_row[used] + 1).sum())

    @cached_property
    def block_shapes(self) -> Counter[tuple[int, int]]:
        """How often each (rows, columns) occurs among the components."""
        sizes = zip(self.components.n_rows.tolist(), self.components.n_columns.tolist(), strict=True)
        return Counter(sizes)

    @cached_property
    def arrangement(self) -> Arrangement:
        """How the components lie."""
        from placement_cli.blocks.ordering import are_neighbours, column_order

        blocks = self.components
        if len(blocks) == 0:
            return Arrangement.EMPTY
        if len(blocks) == 1:
            n_rows, n_columns = self.extents.shape
            return Arrangement.BAND if self.reach < BAND_SHARE * n_rows * n_columns else Arrangement.DENSE
        row_neighbours, column_neighbours = are_neighbours(self.extents, blocks)
        if not (row_neighbours & column_neighbours).all():
            return Arrangement.PERMUTED
        if (column_order(blocks)[1:] < column_order(blocks)[:-1]).any():
            return Arrangement.REORDERED
        return Arrangement.DIAGONAL if set(self.block_shapes) == {(1, 1)} else Arrangement.CONTIGUOUS


@dataclass(frozen=True)
class Crossing:
    """A few rows or columns that cross the blocks, and what the rest looks like without them.

    `rows` and `columns` are channel numbers, ascending; `rest` is the pattern with these set to zero.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    rest: Pattern


@dataclass(frozen=True)
class Structure:
    """The structure of one matrix of `n_in` inputs x `n_out` outputs.

    `nearly_zero` counts weights that are not zero but below `nearly_zero_limit` (a magnitude). With a
    tolerance, weights up to `threshold` (a magnitude; `tolerance` times the largest) were taken as zero:
    `dropped` counts them, and no output moves by more than `error_bound` times the largest input.
    `not_finite` says that NaN or infinity is among the weights; both count as nonzero.
    """

    n_in: int
    n_out: int
    pattern: Pattern
    crossing: Crossing | None = None
    largest: float = 0.0
    nearly_zero: int = 0
    nearly_zero_limit: float = 0.0
    tolerance: float = 0.0
    threshold: float = 0.0
    dropped: int = 0
    error_bound: float = 0.0
    not_finite: bool = False

    @property
    def arrangement(self) -> Arrangement:
        """How the blocks lie, rows and columns that cross them aside."""
        return (self.crossing.rest if self.crossing else self.pattern).arrangement

    @property
    def unused_inputs(self) -> int:
        """Inputs that reach no output."""
        return self.n_in - len(self.pattern.extents.used_rows)

    @property
    def unused_outputs(self) -> int:
        """Outputs that read no input."""
        return self.n_out - len(self.pattern.extents.used_columns)

    def describe(self) -> str:
        """Return the structure in words, a sentence a line."""
        return "\n".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        nonzero, size = self.pattern.nonzero, self.n_in * self.n_out
        share = f" ({nonzero / size:.2%})" if size else ""
        yield f"{self.n_in} inputs x {self.n_out} outputs, {nonzero} of {size} weights nonzero{share}."
        yield _arrangement_in_words(self.crossing.rest if self.crossing else self.pattern)
        if self.crossing:
            yield _crossing_in_words(self.crossing)
        if nonzero and (self.unused_inputs or self.unused_outputs):
            yield f"Unused: {counted(self.unused_inputs, 'input')}, {counted(self.unused_outputs, 'output')}."
        yield from self._warnings()

    def _warnings(self) -> Iterator[str]:
        if self.dropped:
            yield (
                f"{counted(self.dropped, 'weight')} up to {self.threshold:.3g} taken as zero (tolerance "
                f"{self.tolerance:g}): no output moves by more than {self.error_bound:.3g} times the largest "
                f"magnitude of an input."
            )
        elif self.nearly_zero > CHANCE_SHARE * self.pattern.nonzero:
            yield (
                f"{counted(self.nearly_zero, 'weight')} nearly zero (below {self.nearly_zero_limit:.3g}, the "
                f"largest is {self.largest:.3g}); all are kept unless a tolerance is given."
            )
        if self.not_finite:
            yield "NaN or infinity among the weights, counted as nonzero."


def _arrangement_in_words(pattern: Pattern) -> str:
    match pattern.arrangement:
        case Arrangement.EMPTY:
            return "Every weight is zero: no output depends on an input."
        case Arrangement.DENSE:
            shared = any(pattern.shared_sums)
            return "One block: a diagonal plus a constant." if shared else "One block, no structure."
        case Arrangement.BAND:
            size = pattern.extents.shape[0] * pattern.extents.shape[1]
            return f"A band: every output reads neighbouring inputs, over {pattern.reach / size:.1%} of them."
        case Arrangement.DIAGONAL:
            return f"A diagonal of {counted(len(pattern.components), 'weight')}."
        case Arrangement.CONTIGUOUS:
            return f"{_blocks_in_words(pattern)}, contiguous along the diagonal."
        case Arrangement.REORDERED | Arrangement.PERMUTED if set(pattern.block_shapes) == {(1, 1)}:
            return f"A diagonal of {len(pattern.components)} weights after reordering channels."
        case Arrangement.REORDERED:
            return f"{_blocks_in_words(pattern)}, contiguous but in another order: slices suffice."
        case Arrangement.PERMUTED:
            return f"{_blocks_in_words(pattern)}, contiguous only after reordering channels."


def _blocks_in_words(pattern: Pattern) -> str:
    shapes = pattern.block_shapes.most_common(3)
    named = ", ".join(f"{count} of {rows} x {columns}" for (rows, columns), count in shapes)
    others = len(pattern.block_shapes) - len(shapes)
    more = f" and {counted(others, 'other shape')}" if others else ""
    constant = ", each a diagonal plus a constant" if all(pattern.shared_sums) else ""
    return f"{len(pattern.components)} blocks ({named}{more}{constant})"


def _crossing_in_words(crossing: Crossing) -> str:
    lines = []
    if crossing.rows:
        lines.append(f"{counted(len(crossing.rows), 'dense row')} ({_numbers(crossing.rows)})")
    if crossing.columns:
        lines.append(f"{counted(len(crossing.columns), 'dense column')} ({_numbers(crossing.columns)})")
    return f"Beside that {' and '.join(lines)}."


def _numbers(channels: tuple[int, ...]) -> str:
    shown = ", ".join(str(channel) for channel in channels[:5])
    return f"{shown}, …" if len(channels) > 5 else shown
