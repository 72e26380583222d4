"""What a fit of block constants starts from: measured times of several formulations of one product."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placement_cli.blocks.formulation import BlockShape, Formulation


@dataclass(frozen=True, slots=True)
class Timing:
    """One formulation and the seconds it took.

    `halves` are the medians of the even and of the odd repeats, None when the repeats were not kept; from
    them comes the noise floor.
    """

    name: str
    formulation: Formulation
    seconds: float
    halves: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        taken = (self.seconds, *(self.halves or ()))
        if not all(isfinite(seconds) and seconds > 0 for seconds in taken):
            raise ValueError(f"{self.name}: times are finite and above zero, not {taken}")

    @property
    def computes(self) -> bool:
        """Whether this is a way of computing the product, and not only a part of one, such as a bare gather."""
        return bool(self.formulation.parts)


@dataclass(frozen=True, slots=True)
class Configuration:
    """One product: its chunk length and the timings taken of it, interleaved, in one sitting.

    `blocks` are the finest blocks with how often each follows in a row, `split` a word of the one who
    measured on what the configuration is for, such as `calibration`.
    """

    samples: int
    blocks: tuple[tuple[BlockShape, int], ...]
    timings: tuple[Timing, ...]
    split: str = ""

    @property
    def channels(self) -> int:
        """Inputs of the product."""
        return self.timings[0].formulation.n_in

    @property
    def block_rows(self) -> int:
        """Rows of the blocks when they are all equal, 0 otherwise."""
        shapes = {shape for shape, _ in self.blocks}
        return shapes.pop().rows if len(shapes) == 1 else 0

    @property
    def candidates(self) -> tuple[Timing, ...]:
        """The timings of ways of computing the product."""
        return tuple(timing for timing in self.timings if timing.computes)


@dataclass(frozen=True, slots=True)
class Recording:
    """All configurations measured on one backend; `threads` are those of the BLAS."""

    backend: str
    threads: int
    configurations: tuple[Configuration, ...] = field(default=())

    def split(self, name: str) -> tuple[Configuration, ...]:
        """Return the configurations marked `name`."""
        return tuple(entry for entry in self.configurations if entry.split == name)
