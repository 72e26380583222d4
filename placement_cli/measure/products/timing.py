"""The timed part: rounds over several ways of computing one product, in the process that computes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from placement_cli.measure.products.backends import Bound, ProductBackend

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAMPLE_S = 2e-3
"""A sample lasts at least this long, some ten thousand steps of the clock; one call where a call takes longer."""
MOST_CALLS = 2000
TRIALS = 3
"""The least of so many first timings decides how many calls a sample holds."""

COPIES = 4
MOST_COPIED_BYTES = 64 << 20
"""The chunk is kept in so many copies, of which each round takes the next two, as long as they are not larger."""
SHIFT_BYTES = 1 << 16
"""Copies and results are shifted by up to so much, sixteen pages.

How the addresses of x and y lie against one another, and against cache lines, makes a product up to 1.9 times slower
and stays the same for the life of a process, where a stream meets all of them.
"""

Now = Callable[[], float]


def calls_for(seconds: float, sample_s: float = SAMPLE_S) -> int:
    """Return how many calls of `seconds` each make a sample long enough."""
    return MOST_CALLS if seconds * MOST_CALLS <= sample_s else max(1, ceil(sample_s / seconds))


def round_seconds(first_s: Sequence[float]) -> float:
    """Return about how long one round takes over calls of so many seconds each."""
    return sum(max(SAMPLE_S, seconds) + (seconds if seconds < SAMPLE_S else 0.0) for seconds in first_s)


def first_timing(backend: ProductBackend, bound: Bound, chunks: Sequence[Any], now: Now) -> float:
    """Return about how many seconds a call takes, after a first call that is not timed."""
    backend.run(bound, chunks, 1)
    return min(_timed(backend, bound, chunks, 1, now) for _ in range(TRIALS))


def take_round(
    backend: ProductBackend,
    bounds: Sequence[Bound],
    chunks: Sequence[Any],
    calls: Sequence[int],
    order: Sequence[int],
    now: Now,
) -> list[float]:
    """Return the seconds a call of each took, sampled in `order`; an untimed call before each warms the caches.

    A sample of one call, which takes `SAMPLE_S` and more, warms them itself in its first moments. Those that `order`
    leaves out have 0.
    """
    seconds = [0.0] * len(bounds)
    for number in order:
        if calls[number] > 1:
            backend.run(bounds[number], chunks, 1)
        seconds[number] = _timed(backend, bounds[number], chunks, calls[number], now) / calls[number]
    return seconds


@dataclass(slots=True)
class Stream:
    """The chunks that rounds are fed with: one chunk's values at several places in memory."""

    chunks: list[Any]
    generator: np.random.Generator
    _rounds: int = 0

    @classmethod
    def of(cls, backend: ProductBackend, chunk: NDArray[Any], dtype: str, seed: int) -> Stream:
        """Return copies of `chunk` as arrays of the backend, each shifted against the one before."""
        generator = np.random.default_rng(seed)
        number = int(np.clip(MOST_COPIED_BYTES // max(1, chunk.nbytes), 1, COPIES))
        held, chunks = [], []
        for _ in range(number):
            held.append(_shift(generator))
            chunks.append(backend.array(chunk.copy(), dtype))
        return cls(chunks, generator)

    def take(
        self, backend: ProductBackend, bounds: Sequence[Bound], calls: Sequence[int], order: Sequence[int], now: Now
    ) -> list[float]:
        """Take one round on the next two copies, results shifted too; see `take_round`."""
        held = _shift(self.generator)
        pair = [self.chunks[(self._rounds + after) % len(self.chunks)] for after in (0, 1)]
        self._rounds += 1
        seconds = take_round(backend, bounds, pair, calls, order, now)
        del held
        return seconds


def _shift(generator: np.random.Generator) -> NDArray[np.uint8]:
    """Return memory that moves what is allocated after it."""
    return np.empty(int(generator.integers(1, SHIFT_BYTES)), np.uint8)


def _timed(backend: ProductBackend, bound: Bound, chunks: Sequence[Any], calls: int, now: Now) -> float:
    began = now()
    backend.run(bound, chunks, calls)
    return now() - began
