"""Durations, sizes and ratios as people write and read them; inside, durations are seconds, sizes bytes."""

from __future__ import annotations

import math
import re
import reprlib
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_TEXT = 64
"""Longest text, in characters, that is read as a quantity."""

MAX_SIZE = 2**63 - 1
"""Largest size in bytes: what the signed 64-bit integers of files and allocators can hold."""

_PART = re.compile(
    r"\s*(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)\s*(?P<unit>[A-Za-z\u00b5\u03bc]+)\s*"
)


@dataclass(frozen=True, slots=True)
class _Notation:
    """How one kind of quantity is written: the units that may follow a number, and how to say so."""

    rule: str
    units: Mapping[str, Decimal]

    def parts(self, text: str) -> Iterator[tuple[Decimal, Decimal]]:
        """Yield the number and the unit of each part of `text`; raises ValueError if it is anything else."""
        if not text or len(text) > MAX_TEXT:
            raise self.refusal(text)
        end = 0
        while end < len(text):
            part = _PART.match(text, end)
            if part is None or part["unit"] not in self.units:
                raise self.refusal(text)
            yield Decimal(part["number"]), self.units[part["unit"]]
            end = part.end()

    def refusal(self, text: str) -> ValueError:
        """Return the error that says what is allowed instead of `text`."""
        return ValueError(f"{reprlib.repr(text)} is not {self.rule}")


_DURATION = _Notation(
    "a duration: write a number and a unit (ns, us, ms, s, min, h), such as '0.5 ms'",
    {
        "ns": Decimal("1e-9"),
        "us": Decimal("1e-6"),
        "\u00b5s": Decimal("1e-6"),  # the micro sign
        "\u03bcs": Decimal("1e-6"),  # the Greek letter, which some keyboards and normal forms give instead
        "ms": Decimal("1e-3"),
        "s": Decimal(1),
        "min": Decimal(60),
        "h": Decimal(3600),
    },
)

# Decimal multiples as in the SI, binary ones as in IEC 80000-13.
_SIZE = _Notation(
    "a size: write a number and a unit (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), such as '33 MiB'; "
    "whole bytes, less than 8388608 TiB",
    {"B": Decimal(1)}
    | {name: Decimal(1000) ** power for name, power in (("kB", 1), ("KB", 1), ("MB", 2), ("GB", 3), ("TB", 4))}
    | {name: Decimal(1024) ** power for name, power in (("KiB", 1), ("MiB", 2), ("GiB", 3), ("TiB", 4))},
)


def parse_duration(text: str) -> float:
    """Return the seconds that `text` means: `17 us`, `0.5 ms`, `2 s`, `1.5min`, `2h`, `2 min 5 s`.

    A number (not negative, an exponent allowed) and a unit; several such parts, from the larger unit to the
    smaller, add up. The result is the float nearest to what is written. Raises ValueError for anything else.
    """
    seconds = Decimal(0)
    smallest = Decimal("inf")
    for number, unit in _DURATION.parts(text):
        if unit >= smallest:
            raise _DURATION.refusal(text)
        smallest = unit
        seconds += number * unit
    if math.isinf(float(seconds)):
        raise _DURATION.refusal(text)
    return float(seconds)


def parse_size(text: str) -> int:
    """Return the bytes that `text` means: `64 B`, `33 MiB`, `2 GB`, `1.5KiB`.

    One number (not negative, an exponent allowed) and one unit. What is no whole number of bytes is rounded,
    half to even. Raises ValueError for a fraction of `B`, for more than `MAX_SIZE`, and for anything else.
    """
    (number, unit), *more = _SIZE.parts(text)
    whole_bytes = unit != 1 or number == number.to_integral_value()
    if more or not whole_bytes or number * unit > MAX_SIZE:
        raise _SIZE.refusal(text)
    return int((number * unit).to_integral_value(ROUND_HALF_EVEN))


def format_duration(seconds: float) -> str:
    """Return `seconds` to three significant figures: `139 µs`, `3.41 ms`, `1.20 s`.

    From a minute on in whole seconds (`2 min 5 s`), from an hour on in whole minutes (`1 h 30 min`). A
    difference may be negative. `parse_duration` reads durations back. Raises ValueError if not finite.
    """
    _check_finite(seconds)
    sign = "-" if seconds < 0 else ""
    rounded = Decimal(f"{abs(seconds):.2e}")
    if not rounded:
        return "0 s"
    return sign + (_short(rounded) if rounded < 60 else _long(abs(seconds)))


def _short(seconds: Decimal) -> str:
    """Write a duration below a minute; its three digits are kept, only the point moves."""
    for unit, exponent in (("s", 0), ("ms", 3), ("\u00b5s", 6)):
        if seconds.scaleb(exponent) >= 1:
            return f"{seconds.scaleb(exponent):f} {unit}"
    return f"{float(seconds.scaleb(9)):.3g} ns" if seconds < Decimal("1e-9") else f"{seconds.scaleb(9):f} ns"


def _long(seconds: float) -> str:
    """Write a duration of a minute or more."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min" + (f" {rest} s" if rest else "")
    hours, rest = divmod(round(seconds / 60), 60)
    return f"{hours} h" + (f" {rest} min" if rest else "")


def format_size(size: float) -> str:
    """Return `size`, in bytes, to three significant figures in binary multiples: `64 B`, `33.0 MiB`.

    A number from 1000 to 1023 keeps its fourth digit, and bytes are whole. A difference may be negative.
    `parse_size` reads sizes back. Raises ValueError if not finite.
    """
    _check_finite(size)
    if round(abs(size)) < 1024:
        return f"{round(size)} B"
    larger = ["KiB", "MiB", "GiB", "TiB"]
    size /= 1024
    while round(abs(size)) >= 1024 and len(larger) > 1:
        size /= 1024
        larger.pop(0)
    return f"{_three_figures(size)} {larger[0]}"


def format_ratio(ratio: float) -> str:
    """Return a ratio to three significant figures, such as `1.40`.

    Thousands keep all their digits; below a thousandth the form is `1.40e-04`. Raises ValueError if it is
    not finite.
    """
    _check_finite(ratio)
    return _three_figures(ratio)


def format_percent(share: float) -> str:
    """Return a share or a change (0.041, not 4.1) as a percentage with one decimal, such as `4.1 %`.

    Raises ValueError if not finite.
    """
    _check_finite(share)
    return f"{100 * share:z.1f} %"


def _check_finite(value: float) -> None:
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot be written as a quantity; it is not finite")


def _three_figures(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{value:.2e}" if 0 < abs(value) < 0.001 else f"{Decimal(f'{value:.2e}'):f}"
