"""How many messages one sample of a case holds: chosen on the slowest arm, shared by all arms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from placement_cli.measure.readings.burst import BURST_MESSAGES
from placement_cli.measure.specs import Case, Reading

SAMPLE_S = 0.010
"""A sample lasts at least this long on the slowest arm (measurement.md, 3) ..."""
TIMER_TICKS = 1000
"""... and this many steps of the timer ..."""
EMPTY_SAMPLES = 50
"""... and this many times the cost of a sample without messages."""
QUEUE_FULLS = 2
"""A stream holds this many times the messages that the device's queue can, so that a sample sees it full."""
QUEUE_MESSAGES = 256
PENDING_MESSAGES = 32
"""Messages of one sample where the scenario does not say."""


@dataclass(frozen=True, slots=True)
class Floors:
    """What the workers said of themselves: timer step, cost of an empty sample, pool and queue in messages."""

    timer_s: float
    empty_s: float
    pool: int
    queue_messages: int

    @classmethod
    def of(cls, hellos: Sequence[Mapping[str, Any]], prepared: Sequence[Mapping[str, Any]]) -> Floors:
        """Take the largest of what all workers of a case said."""
        return cls(
            max(hello["timer_s"] for hello in hellos),
            max(hello["empty_s"] for hello in hellos),
            max(reply["pool"] for reply in prepared),
            max(reply["queue_messages"] for reply in prepared),
        )

    @property
    def sample_s(self) -> float:
        """The shortest sample that can be trusted."""
        return max(SAMPLE_S, TIMER_TICKS * self.timer_s, EMPTY_SAMPLES * self.empty_s)


def fixed_messages(case: Case) -> int | None:
    """Return the number of messages of a sample where the case decides it, None where time does."""
    match case.reading:
        case Reading.PACED:
            return max(1, round(case.rate * case.duration_s))
        case Reading.QUEUE:
            return case.messages or QUEUE_MESSAGES
        case Reading.PENDING:
            return case.messages or PENDING_MESSAGES
    return case.messages or None


def timed_messages(case: Case, floors: Floors, slowest_s: float) -> int:
    """Return the number of messages for which the slowest arm, at `slowest_s` a message, takes long enough."""
    count = ceil(floors.sample_s / slowest_s) if slowest_s > 0 else 1
    if case.reading is Reading.BURST:
        return BURST_MESSAGES * ceil(count / BURST_MESSAGES)
    return max(count, QUEUE_FULLS * floors.queue_messages)


def warm_messages(case: Case, floors: Floors, messages: int) -> int:
    """Return the messages of one warm-up: a sample, but every length that occurs."""
    source = case.pipeline.source
    if source.samples_low != source.samples_high:
        return max(floors.pool, messages)
    return messages
