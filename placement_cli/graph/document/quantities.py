"""Durations and sizes as a document writes them: short, and read back to exactly the same value."""

from __future__ import annotations

from decimal import Decimal

DURATION_UNITS = (("s", Decimal(1)), ("ms", Decimal("1e-3")), ("us", Decimal("1e-6")), ("ns", Decimal("1e-9")))
SIZE_UNITS = [
    (f"{prefix}B", Decimal(base) ** power)
    for power, prefixes in ((4, ("Ti", "T")), (3, ("Gi", "G")), (2, ("Mi", "M")), (1, ("Ki", "k")))
    for prefix, base in zip(prefixes, (1024, 1000), strict=True)
]
SIZE_CHARACTERS = 8
"""A size is written in the largest unit that needs no longer number than this, in bytes where none does."""
PLAIN_CHARACTERS = 40
"""A longer number is written with an exponent."""


def duration_text(seconds: float) -> str:
    """Return what `placement_cli.units.parse_duration` reads as exactly `seconds` (finite, not negative): `2 ms`."""
    exact = Decimal(repr(seconds))
    if not exact:
        return "0 s"
    fitting = (unit for unit in DURATION_UNITS if exact >= unit[1])
    name, factor = next(fitting, DURATION_UNITS[-1])
    return f"{_digits(exact.scaleb(-factor.adjusted()))} {name}"


def size_text(size: int) -> str:
    """Return what `placement_cli.units.parse_size` reads as exactly `size` bytes (not negative): `33 MiB`."""
    for name, factor in SIZE_UNITS:
        if size >= factor and len(number := _digits(Decimal(size) / factor)) <= SIZE_CHARACTERS:
            return f"{number} {name}"
    return f"{size} B"


def _digits(number: Decimal) -> str:
    plain = f"{number.normalize():f}"
    return plain if len(plain) <= PLAIN_CHARACTERS else f"{number.normalize():e}"
