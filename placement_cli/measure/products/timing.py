"""The timed part: rounds over several ways of computing one product, in the process that computes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

from placement_cli.measure.products.backends import Bound, ProductBackend

SAMPLE_S = 2e-3
"""A sample lasts at least this long, some ten thousand steps of the clock; one call where a call takes longer."""
MOST_CALLS = 2000
TRIALS = 3
"""The least of so many first timings decides how many calls a sample holds."""

Now = Callable[[], float]


def calls_for(seconds: float, sample_s: float = SAMPLE_S) -> int:
    """Return how many calls of `seconds` each make a sample long enough."""
    return MOST_CALLS if seconds * MOST_CALLS <= sample_s else max(1, ceil(sample_s / seconds))


def first_timing(backend: ProductBackend, bound: Bound, x: Any, now: Now) -> float:
    """Return about how many seconds a call takes, after a first call that is not timed."""
    backend.run(bound, x, 1)
    return min(_timed(backend, bound, x, 1, now) for _ in range(TRIALS))


def take_round(
    backend: ProductBackend, bounds: Sequence[Bound], x: Any, calls: Sequence[int], order: Sequence[int], now: Now
) -> list[float]:
    """Return the seconds a call of each took, sampled in `order`; one untimed call before each warms the caches.

    Those that `order` leaves out have 0.
    """
    seconds = [0.0] * len(bounds)
    for number in order:
        backend.run(bounds[number], x, 1)
        seconds[number] = _timed(backend, bounds[number], x, calls[number], now) / calls[number]
    return seconds


def _timed(backend: ProductBackend, bound: Bound, x: Any, calls: int, now: Now) -> float:
    began = now()
    backend.run(bound, x, calls)
    return now() - began
