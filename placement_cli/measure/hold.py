"""Work that keeps the device busy for a known while, so that whatever is submitted behind it must queue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from placement_cli.device.clock import Clock
from placement_cli.device.interface import Device

HOLD_S = 0.15
"""How long the device is held: far longer than submitting a few hundred small messages takes."""
TRIALS = 2
"""The least of so many timings is the hold without interference."""
SMALLEST, LARGEST = 256, 16384
"""Sides of the square matrices tried, each twice the one before."""


@dataclass(frozen=True, slots=True)
class Hold:
    """`make` returns a lazy array whose single primitive takes about `seconds` on the device."""

    make: Callable[[], Any]
    seconds: float


def make_hold(device: Device, clock: Clock) -> Hold:
    """Size one matrix product to hold the device for `HOLD_S`: one primitive, which takes one place in the queue."""
    import mlx.core as mx

    side = SMALLEST
    while True:
        matrix = mx.random.normal((side, side))
        device.evaluate(matrix)
        make = partial(mx.matmul, matrix, matrix)
        device.evaluate(make())
        seconds = min(_duration(make, device, clock) for _ in range(TRIALS))
        if seconds >= HOLD_S or side >= LARGEST:
            return Hold(make, seconds)
        side *= 2


def _duration(make: Callable[[], Any], device: Device, clock: Clock) -> float:
    began = clock.now()
    device.evaluate(make())
    return clock.now() - began
