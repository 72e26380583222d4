"""Work for the device: chains of tiny ops, products of a wanted length, and the time that the device takes alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from placement_cli.device.clock import Clock
from placement_cli.device.interface import Device

SMALLEST, LARGEST = 64, 16384
"""Sides of the square matrices tried, each twice the one before."""
MOST_FOLDS = 8
"""How many squares may be put below each other: a square twice as large takes as much longer."""
TRIALS = 3
"""The least of so many timings is taken as free of disturbance."""

Make = Callable[[], Any]
"""Makes a fresh lazy array; building the graph behind it is all that happens."""


def tiny_array() -> Any:
    """Return an evaluated array of one element."""
    import mlx.core as mx
    import numpy as np

    return mx.array(np.ones((1,), dtype=np.float32))


def tiny_chain(ops: int) -> Make:
    """Return a maker of chains of `ops` absolute values of one element: hardly any work but the op itself."""
    import mlx.core as mx

    start, absolute = tiny_array(), mx.abs

    def make() -> Any:
        value = start
        for _ in range(ops):
            value = absolute(value)
        return value

    return make


def make_product(device: Device, clock: Clock, wanted_s: float) -> Make:
    """Return a maker of matrix products of one primitive that keep the device busy for about `wanted_s` seconds.

    A square is multiplied with rows of random numbers: the smallest square that, as often as `MOST_FOLDS` times as
    many rows, takes long enough. A device too fast for the largest square gets that one with as many rows.
    """
    import mlx.core as mx

    side = SMALLEST
    while True:
        square = mx.random.normal((side, side))
        device.evaluate(square)
        make = partial(mx.matmul, square, square)
        device.evaluate(make())
        taken_s = min(_duration(make, device, clock) for _ in range(TRIALS))
        if MOST_FOLDS * taken_s >= wanted_s or side >= LARGEST:
            break
        side *= 2
    rows = max(1, round(side * min(MOST_FOLDS, wanted_s / taken_s))) if taken_s > 0 else MOST_FOLDS * side
    left = mx.random.normal((rows, side))
    device.evaluate(left)
    return partial(mx.matmul, left, square)


def _duration(make: Make, device: Device, clock: Clock) -> float:
    began = clock.now()
    device.evaluate(make())
    return clock.now() - began


def device_seconds(device: Device, clock: Clock, hold: Make, outputs: Sequence[Sequence[Any]]) -> float:
    """Return the seconds between the end of a hold and the end of the last of `outputs`, which were built before.

    Everything is submitted while the device is held, one submission for each of `outputs`, so that neither building
    nor submitting is in the time. The host learns of both ends a little late, which cancels on average; work that is
    shorter than that, some 30 us, is not resolved.
    """
    submit, held = device.submit, hold()
    device.synchronize()
    submit(held)
    for arrays in outputs:
        submit(*arrays)
    device.evaluate(held)
    began = clock.now()
    device.evaluate(*outputs[-1])
    return clock.now() - began
