"""What a cost model is told about one way of computing `y = x @ W`: shapes and counts, no weights, no arrays.

A formulation is a list of parts, each a number of equal calls, and what is moved around them: channels
gathered before, outputs scattered or filled with zeros after. `x` has n samples x `n_in` channels, `y`
n x `n_out`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


class Kind(StrEnum):
    """How a part (or a whole formulation) is computed."""

    DENSE = "dense"
    """One product with the whole matrix."""
    LOOP = "loop"
    """One product a block, each reading a slice of the channels and writing its own slice of the output."""
    BATCH = "batch"
    """Equal blocks at equal distances as one batched product over a strided view."""
    ELEMENTWISE = "elementwise"
    """A diagonal: every output is one input times one weight."""
    SHARED_SUM = "shared-sum"
    """Diagonal plus one constant a block (a common reference): scaled inputs plus the scaled sum of them."""
    THIN = "thin"
    """A few rows or columns that cross all blocks, as one product of their own."""
    GATHER_MM = "gather_mm"
    """MLX alone: equal blocks as one `mx.gather_mm`."""
    MASKED_MM = "block_masked_mm"
    """MLX alone: the whole matrix as one `mx.block_masked_mm`, tiles of zeros skipped."""
    ZEROS = "zeros"
    """A whole formulation without parts: no weight is nonzero."""
    MIXED = "mixed"
    """A whole formulation whose parts are of more than one kind."""


@dataclass(frozen=True, slots=True, order=True)
class BlockShape:
    """Shape of a block of W: `rows` inputs x `columns` outputs."""

    rows: int
    columns: int

    @property
    def weights(self) -> int:
        """Weights inside, which is also the multiply-accumulates a sample costs."""
        return self.rows * self.columns


@dataclass(frozen=True, slots=True)
class Part:
    """`count` equal blocks computed in the same way.

    LOOP and THIN make `count` calls of one block each; every other kind makes one call for all `count`
    blocks. ELEMENTWISE has shape s x s for s channels, MASKED_MM the whole shape with `count` its tiles that
    are not zero and `tile` their side. `accumulates`: the result is added to the output, not written.
    """

    kind: Kind
    shape: BlockShape
    count: int = 1
    accumulates: bool = False
    tile: int = 0

    @property
    def calls(self) -> int:
        """Calls of a kernel: one a block in a loop, one in all otherwise."""
        return self.count if self.kind in {Kind.LOOP, Kind.THIN} else 1

    @property
    def macs(self) -> int:
        """Multiply-accumulates a sample."""
        match self.kind:
            case Kind.ELEMENTWISE:
                return self.shape.rows * self.count
            case Kind.SHARED_SUM:
                return 2 * self.shape.rows * self.count
            case Kind.MASKED_MM:
                return self.tile * self.tile * self.count
            case _:
                return self.shape.weights * self.count


@dataclass(frozen=True, slots=True)
class Formulation:
    """One way of computing an n x `n_in` by `n_in` x `n_out` product.

    `gathered_in` channels are copied by index before the parts run, `gathered_out` outputs by index after
    them (0: slices suffice); `gathers` indexing calls do this. `zero_filled_out` outputs are set to zero
    because no weight reaches them. `compiled` says that the graph went through `mx.compile`.
    """

    n_in: int
    n_out: int
    parts: tuple[Part, ...]
    gathered_in: int = 0
    gathered_out: int = 0
    gathers: int = 0
    zero_filled_out: int = 0
    compiled: bool = False

    @property
    def kind(self) -> Kind:
        """The kind of every part but the thin ones when they agree, MIXED otherwise."""
        kinds = {part.kind for part in self.parts if part.kind is not Kind.THIN}
        if not kinds:
            return Kind.THIN if self.parts else Kind.ZEROS
        return kinds.pop() if len(kinds) == 1 else Kind.MIXED

    @property
    def blocks(self) -> tuple[tuple[BlockShape, int], ...]:
        """Block shapes with how often each follows in a row, whatever computes them."""
        runs: list[tuple[BlockShape, int]] = []
        for part in self.parts:
            if part.kind is Kind.THIN:
                continue
            if runs and runs[-1][0] == part.shape:
                runs[-1] = (part.shape, runs[-1][1] + part.count)
            else:
                runs.append((part.shape, part.count))
        return tuple(runs)

    @property
    def permuted(self) -> bool:
        """Whether channels or outputs are moved by index."""
        return bool(self.gathered_in or self.gathered_out)

    @property
    def dense_rows(self) -> int:
        """Inputs that reach (nearly) all outputs, computed as thin products beside the blocks."""
        return sum(p.shape.rows * p.count for p in self.parts if p.kind is Kind.THIN and p.accumulates)

    @property
    def dense_columns(self) -> int:
        """Outputs that read (nearly) all inputs, computed as thin products beside the blocks."""
        return sum(p.shape.columns * p.count for p in self.parts if p.kind is Kind.THIN and not p.accumulates)

    @property
    def calls(self) -> int:
        """Calls of a kernel, gathers not counted."""
        return sum(part.calls for part in self.parts)

    @property
    def macs(self) -> int:
        """Multiply-accumulates a sample."""
        return sum(part.macs for part in self.parts)

    @property
    def name(self) -> str:
        """A short name for tables, such as `permuted batch` or `loop + thin`."""
        words = [str(self.kind)]
        if self.permuted:
            words.insert(0, "permuted")
        elif self.zero_filled_out and self.kind is not Kind.ZEROS:
            words.insert(0, "compressed")
        if self.kind is not Kind.THIN and any(part.kind is Kind.THIN for part in self.parts):
            words.append("+ thin")
        if self.compiled:
            words.append("(compiled)")
        return " ".join(words)

    @property
    def shape(self) -> BlockShape:
        """Shape of W."""
        return BlockShape(self.n_in, self.n_out)


Price = Callable[[Formulation, int], float]
"""Seconds (or any unit in proportion) that a formulation takes for n samples.

A price is deterministic, not negative, and never falls when a block grows; infinity means that this backend
cannot compute the formulation. Merges are found by what a part adds to a formulation of one 1 x 1 block, so a
price should be additive over parts; whole formulations are then ranked by their own price. LOOP is what
everything else is compared with, so it is never infinite.
"""


def run_length(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Join neighbouring loops over blocks of one shape; every other part is a call of its own and stays."""
    joined: list[Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if last and part.kind is Kind.LOOP and replace(part, count=last.count) == last:
            joined[-1] = replace(last, count=last.count + part.count)
        else:
            joined.append(part)
    return tuple(joined)


def dense(n_in: int, n_out: int) -> Formulation:
    """Return the product with the whole matrix."""
    return Formulation(n_in, n_out, (Part(Kind.DENSE, BlockShape(n_in, n_out)),))


def blocks_of(kind: Kind, blocks: Iterable[tuple[BlockShape, int]], n_in: int, n_out: int) -> Formulation:
    """Return the formulation that computes run-length blocks all in the one way `kind`."""
    return Formulation(n_in, n_out, run_length(Part(kind, shape, count) for shape, count in blocks))
