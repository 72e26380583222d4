"""Axes people can read: ticks at round numbers, labels with their unit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log2, log10
from typing import Any

import altair as alt

MOST_TICKS = 7
FEW = 8.0
"""From this range on ratios are labelled at powers of two."""
PADDING = 1.06
"""By which factor a logarithmic axis goes beyond its data at either end."""
LEAST, MOST = 1e-24, 1e24
"""What lies beyond has no place in a chart: no duration, size or ratio that was measured does."""

SECONDS_LABEL = (
    "datum.value >= 1 ? format(datum.value, '~g') + ' s' : "
    "datum.value >= 1e-3 ? format(datum.value * 1e3, '~g') + ' ms' : "
    "datum.value >= 1e-6 ? format(datum.value * 1e6, '~g') + ' \u00b5s' : format(datum.value * 1e9, '~g') + ' ns'"
)
BYTES_LABEL = (
    "datum.value >= 1099511627776 ? format(datum.value / 1099511627776, '~g') + ' TiB' : "
    "datum.value >= 1073741824 ? format(datum.value / 1073741824, '~g') + ' GiB' : "
    "datum.value >= 1048576 ? format(datum.value / 1048576, '~g') + ' MiB' : "
    "datum.value >= 1024 ? format(datum.value / 1024, '~g') + ' KiB' : format(datum.value, '~g') + ' B'"
)
NUMBER_LABEL = "format(datum.value, '~g')"
RATIO_LABEL = "format(datum.value, '~g') + '\u00d7'"
"""How Vega writes a tick; the names of a document never stand in an expression."""


@dataclass(frozen=True, slots=True)
class LogAxis:
    """A logarithmic axis from `low` to `high`, both above zero, with `ticks` labelled by `label`."""

    low: float
    high: float
    ticks: tuple[float, ...]
    label: str

    @property
    def scale(self) -> alt.Scale:
        """The scale that belongs to it."""
        return alt.Scale(type="log", domain=[self.low, self.high], nice=False)

    def axis(self, **more: Any) -> alt.Axis:
        """Return the axis itself."""
        return alt.Axis(values=list(self.ticks), labelExpr=self.label, labelOverlap="greedy", tickSize=4, **more)


def drawable(values: Iterable[float | None]) -> list[float]:
    """Return the values that have a place on a logarithmic axis."""
    return [value for value in values if value is not None and LEAST <= value <= MOST]


def ratio_axis(values: Sequence[float]) -> LogAxis:
    """Return the axis of ratios around 1; `values` above zero all lie on it."""
    low, high = min(1.0, *values) / PADDING, max(1.0, *values) * PADDING
    return LogAxis(low, high, ratio_ticks(low, high), RATIO_LABEL)


def seconds_axis(values: Sequence[float]) -> LogAxis:
    """Return the axis of durations above zero; a narrow row of them still gets a decade's worth of room."""
    low, high = min(values) / PADDING, max(values) * PADDING
    return LogAxis(low, high, decimal_ticks(low, high), SECONDS_LABEL)


def bytes_axis(values: Sequence[float]) -> LogAxis:
    """Return the axis of sizes above zero, with ticks at powers of two."""
    low, high = min(values) / 1.5, max(values) * 1.5
    return LogAxis(low, high, binary_ticks(low, high), BYTES_LABEL)


def ratio_ticks(low: float, high: float) -> tuple[float, ...]:
    """Return the ratios to label between `low` and `high`, 1 among them: few, and the finest that are few enough."""
    for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5):
        near = _multiples(step, low, high)
        if len(near) <= MOST_TICKS and low > 0.5:
            return near
    if high / low < FEW:
        return _decimals(low, high, ((1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9), (1, 1.5, 2, 3, 5, 7), (1, 2, 5)))
    for base in (2, 4, 10, 100, 10_000, 10**8):
        powers = tuple(_powers(base, low, high))
        if len(powers) <= MOST_TICKS:
            return powers
    return (1.0,)


def decimal_ticks(low: float, high: float) -> tuple[float, ...]:
    """Return the numbers 1, 2 and 5 times a power of ten between two positive ones, or fewer of them over decades."""
    digits = ((1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 5), (1, 3), (1,))
    if high / low < 10 ** (MOST_TICKS - 1):
        return _decimals(low, high, digits)
    return tuple(_powers(1000 if high / low < 1000.0 ** (MOST_TICKS - 1) else 10**12, low, high))


def _decimals(low: float, high: float, ladder: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Return multiples of powers of ten, with the digits of the first step of `ladder` that are few enough."""
    exponents = range(floor(log10(low)), ceil(log10(high)) + 1)
    inside: tuple[float, ...] = ()
    for digits in ladder:
        ticks = (float(f"{digit}e{power}") for power in exponents for digit in digits)
        inside = tuple(tick for tick in ticks if low <= tick <= high)
        if len(inside) <= MOST_TICKS:
            break
    return inside


def size_ticks(most: float) -> tuple[float, ...]:
    """Return sizes from zero to `most` bytes, a power of two apart, at most six."""
    apart = 2.0 ** max(0, ceil(log2(max(most, 1.0) / 5)))
    return tuple(apart * number for number in range(int(most / apart) + 1))


def binary_ticks(low: float, high: float) -> tuple[float, ...]:
    """Return powers of two, of four, or of 32, between two positive numbers."""
    for base in (2, 4, 32, 1024):
        ticks = tuple(_powers(base, low, high))
        if len(ticks) <= MOST_TICKS:
            return ticks
    return (low, high)


def _multiples(step: float, low: float, high: float) -> tuple[float, ...]:
    """Return the multiples of `step` in between, at most one more than is wanted."""
    first = ceil(low / step - 1e-9)
    last = min(floor(high / step + 1e-9), first + MOST_TICKS)
    return tuple(round(step * number, 2) for number in range(first, last + 1))


def _powers(base: int, low: float, high: float) -> Iterable[float]:
    spread = log10(base)
    for exponent in range(ceil(log10(low) / spread - 1e-9), floor(log10(high) / spread + 1e-9) + 1):
        yield float(base) ** exponent
