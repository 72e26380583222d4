"""Shows that the fence really waits: without that, every time that is measured is fiction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from placement_cli.device.clock import Clock
from placement_cli.device.interface import Device

MIN_RATIO = 5.0
"""Heavy work must take at least this many times as long to complete as to submit.

A fence that does not wait gives about 1, a working one hundreds (0.02 ms against 11 ms on MLX's CPU backend).
"""

MAX_AFTER_SHARE = 0.1
"""Reading a value after the fence may take this share of the whole at most; work still running takes more."""

TRIALS = 3
"""Odd, so that one interruption by the system does not decide the median."""

SHORTEST_S = 1e-9
"""Stands in for a submission too short for the clock, so that the ratio stays finite."""


@dataclass(frozen=True, slots=True)
class FenceTest:
    """Medians over the trials, in seconds from the start of the submission.

    `dispatch_s`: submitting returned. `complete_s`: the fence returned. `after_s`: what reading a value of
    the result took after that. `ratio` is `complete_s` over `dispatch_s`.
    """

    ok: bool
    ratio: float
    dispatch_s: float
    complete_s: float
    after_s: float

    @property
    def problem(self) -> str | None:
        """What is wrong in one sentence; None when the fence waits."""
        if self.ok:
            return None
        if self.after_s > MAX_AFTER_SHARE * self.complete_s:
            return (
                f"The fence does not wait: it returned after {self.complete_s * 1e3:.3f} ms, and reading a"
                f" value took another {self.after_s * 1e3:.3f} ms."
            )
        return (
            f"Submitting heavy work took {self.dispatch_s * 1e3:.3f} ms of the {self.complete_s * 1e3:.3f} ms"
            " it needs in all: submitting blocks here, so dispatch and completion cannot be told apart."
        )


def test_fence(device: Device, heavy: Callable[[], Any], clock: Clock) -> FenceTest:
    """Submit known heavy work, fence, and see whether anything was left to wait for.

    `heavy` makes a fresh lazy array of one element behind work of some milliseconds, such as `heavy_work` of
    `mlx_device`; `float()` of it must wait until its value is there. The fence is `device.synchronize()`.
    """
    trials = [_trial(device, heavy, clock) for _ in range(TRIALS)]
    dispatch_s, complete_s, after_s = (median(column) for column in zip(*trials, strict=True))
    ratio = complete_s / max(dispatch_s, SHORTEST_S)
    ok = ratio >= MIN_RATIO and after_s <= MAX_AFTER_SHARE * complete_s
    return FenceTest(ok, ratio, dispatch_s, complete_s, after_s)


def _trial(device: Device, heavy: Callable[[], Any], clock: Clock) -> tuple[float, float, float]:
    array = heavy()
    device.synchronize()
    start = clock.now()
    device.submit(array)
    submitted = clock.now()
    device.synchronize()
    fenced = clock.now()
    float(array)
    read = clock.now()
    return submitted - start, fenced - start, read - fenced
