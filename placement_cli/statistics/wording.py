"""The numbers of a verdict in words; every sentence a person reads about one is put together here."""

from __future__ import annotations

from math import exp, expm1
from typing import TYPE_CHECKING

from placement_cli.statistics.noise_floor import NOISE_FACTOR, EffectFloor, FloorSource

if TYPE_CHECKING:
    from placement_cli.statistics.order_statistics import Interval

AS_TIMES = 10.0
"""From this ratio on a change is told as a factor: +900 % reads worse than 10 times."""


def change(log_ratio: float) -> str:
    """Return a log ratio as a signed change: `+4.8 %`, `-0.03 %`, or `25 times` from ten times on."""
    if exp(log_ratio) >= AS_TIMES:
        return f"{exp(log_ratio):,.3g} times"
    percent = 100 * expm1(log_ratio)
    small = percent and abs(percent) < 0.1
    return f"{percent:+.2g} %" if small else f"{percent:+.1f} %"


def size(log_ratio: float) -> str:
    """Return the size of a log ratio without a sign: `3.0 %`."""
    return change(abs(log_ratio)).lstrip("+")


def spread(interval: Interval | None) -> str:
    """Return the interval of a log ratio with its true coverage: `96.1 % interval +3.2 % to +6.9 %`."""
    if interval is None:
        return "too few for an interval"
    return f"{100 * interval.coverage:.1f} % interval {change(interval.low)} to {change(interval.high)}"


def blocks(count: int) -> str:
    """Return a number of blocks: `1 block`, `12 blocks`."""
    return f"{count} block" if count == 1 else f"{count} blocks"


def measured(median: float, interval: Interval | None, n_blocks: int) -> str:
    """Return what was seen: `+4.8 % over 12 blocks (96.1 % interval +3.2 % to +6.9 %)`."""
    return f"{change(median)} over {blocks(n_blocks)} ({spread(interval)})"


def floor_set_by(floor: EffectFloor) -> str:
    """Return the floor and what set it: `4.2 % (1.5 times the noise floor of 2.8 %)`."""
    origin = {
        FloorSource.MIN_EFFECT: "the smallest change asked for",
        FloorSource.NOISE: f"{NOISE_FACTOR:g} times the noise floor of {size(floor.noise)}",
        FloorSource.TIMER: "the tick of the timer",
    }
    return f"{size(floor.value)} ({origin[floor.source]})"
