"""Timing plans in the process that will use them: what `rigor="measure"` does."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from placement_cli.measure.products.backends import open_backend
from placement_cli.measure.products.checking import random_chunk
from placement_cli.measure.products.times import times_of
from placement_cli.measure.products.timing import Stream, calls_for, first_timing

if TYPE_CHECKING:
    from placement_cli.blocks.plan import BlockPlan

ROUNDS = 7
"""Rounds over the plans that compete: some 50 ms for products of chunks that take microseconds."""
TIMED = 3
"""The best so many by price are timed. What that leaves to be desired here, `selftest --planner` shows."""


def fastest(
    plans: Sequence[BlockPlan],
    weights: Any,
    samples: int,
    backend: str,
    dtype: str,
    now: Callable[[], float] = perf_counter,
    seed: int = 0,
) -> BlockPlan:
    """Return the plan that is fastest here and now, by interleaved rounds on random data.

    Of equal times the first of `plans` is kept. Raises what a plan raises that cannot be computed on this backend.
    """
    product = open_backend(backend)
    bounds = [plan.bind(weights, product.library) for plan in plans]
    stream = Stream.of(product, random_chunk(samples, plans[0].n_in, dtype, seed), dtype, seed)
    calls = [calls_for(first_timing(product, bound, stream.chunks, now)) for bound in bounds]
    generator = np.random.default_rng(seed)
    was_on = gc.isenabled()
    gc.disable()
    try:
        orders = [generator.permutation(len(plans)).tolist() for _ in range(ROUNDS)]
        rounds = np.array([stream.take(product, bounds, calls, order, now) for order in orders])
    finally:
        if was_on:
            gc.enable()
    seconds = [times.seconds for times in times_of(rounds)]
    return plans[int(np.argmin(seconds))]
