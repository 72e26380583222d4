"""How often messages come, how many came, and whether something outside of the program sets the pace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median, quantiles

from placement_cli.diagnose.graph.message import Message, Timing

FEWEST = 5
"""Fewer messages do not show a pace."""
IDLE = 0.5
"""The pause between messages takes at least this share of the period where messages come at a pace."""
REGULAR = 0.2
"""Nine tenths and one tenth of all periods differ by no more than this share of the median."""


@dataclass(frozen=True, slots=True)
class Pace:
    """`period_s` between messages in the median, None where less than two were seen; `messages` in all.

    `paced`: messages come regularly, and the program does nothing that was recorded for much of the time.
    """

    period_s: float | None
    messages: int
    pause_s: float
    paced: bool


def pace_of(message: Message, timing: Timing) -> Pace:
    """Return the pace of the messages of which `message` is one."""
    cycles = message.main
    if cycles is None:
        return Pace(None, 1, 0.0, False)
    own = cycles.messages[message.usual]
    in_each = Counter(message.record(index).point for index in own)[cycles.closing]
    total = max(1, message.process.points[cycles.closing].count // max(1, in_each))
    periods = _periods(message, cycles.closing, max(1, in_each))
    pause = max((timing.before[index] for index in own), default=0.0)
    period = median(periods) if periods else None
    paced = period is not None and _regular(periods, period) and pause >= IDLE * period
    return Pace(period, max(total, len(cycles.messages)), pause, paced)


def _periods(message: Message, closing: int, in_each: int) -> list[float]:
    """Return the times from message to message: outside of windows, where tracing costs least, if there are enough."""
    events = [event for event in message.process.events if event.point == closing]
    ends = sorted((event.at_s + event.took_s, event.window) for event in events)[::in_each]
    steps = [(after - before, first, second) for (before, first), (after, second) in pairwise(ends) if after > before]
    outside = [step for step, first, second in steps if first < 0 and second < 0]
    inside = [step for step, first, second in steps if first == second]
    return outside if len(outside) >= FEWEST else inside or [step for step, _, _ in steps]


def _regular(periods: Sequence[float], period: float) -> bool:
    if len(periods) < FEWEST or period <= 0:
        return False
    tenths = quantiles(periods, n=10)
    return tenths[-1] - tenths[0] <= REGULAR * period
