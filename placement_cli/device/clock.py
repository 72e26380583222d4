"""The clock: everything that tells the time or waits goes through one, so that tests need not wait."""

from __future__ import annotations

import time
from typing import Protocol

from placement_cli.errors import InvalidMeasurement

STEPS_WANTED = 32
"""How many forward steps of the clock are looked at."""

READINGS_AT_MOST = 1_000_000
"""How often the clock is read before it counts as standing still."""


class Clock(Protocol):
    """Tells the time in seconds from an arbitrary start, and waits."""

    def now(self) -> float:
        """Seconds; only differences mean anything."""

    def sleep(self, seconds: float) -> None:
        """Wait for that many seconds; returns at once when they are not positive."""


class SystemClock:
    """The computer's monotonic clock of the highest resolution (`time.perf_counter`)."""

    def now(self) -> float:
        """Seconds since an arbitrary start."""
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        """Wait for that many seconds; returns at once when they are not positive."""
        if seconds > 0:
            time.sleep(seconds)


def timer_resolution(clock: Clock) -> float:
    """Return the smallest positive step seen between two readings of the clock in a row, in seconds.

    It is the coarser of the clock's tick and the cost of reading it, which is what a timed sample must be
    long against. Raises InvalidMeasurement when the clock does not advance.
    """
    steps: list[float] = []
    before = clock.now()
    for _ in range(READINGS_AT_MOST):
        after = clock.now()
        if after > before:
            steps.append(after - before)
        before = after
        if len(steps) == STEPS_WANTED:
            break
    if not steps:
        raise InvalidMeasurement(
            f"The clock did not advance in {READINGS_AT_MOST} readings; nothing can be timed with it."
        )
    return min(steps)
