"""Constants of a profile as text, in units a person can read."""

from __future__ import annotations

from collections.abc import Sequence

from placement_cli.profile.constant import Constant
from placement_cli.units import format_duration, format_size

NAMED_AT_MOST = 6
"""Constants that are named in a sentence; the rest is counted."""


def value_text(constant: Constant) -> str:
    """Return the value in its unit: a duration where it is one, a plain number otherwise."""
    return _written(constant, constant.value)


def interval_text(constant: Constant) -> str:
    """Return the value with its interval, where it has one."""
    if constant.low is None or constant.high is None:
        return value_text(constant)
    return f"{value_text(constant)} [{_written(constant, constant.low)}, {_written(constant, constant.high)}]"


def number_text(constant: Constant) -> str:
    """Return the value and its interval as plain numbers, and whether the data determined it."""
    if constant.low is None or constant.high is None:
        return f"{constant.value:.3g}"
    found = f"{constant.value:.3g} [{constant.low:.3g}, {constant.high:.3g}]"
    return found if constant.identified else f"{found} (not determined)"


def some_names(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    rest = len(names) - NAMED_AT_MOST
    return ", ".join(names[:NAMED_AT_MOST]) + (f" and {rest} more" if rest > 0 else "")


def _written(constant: Constant, value: float) -> str:
    unit = constant.unit.partition("/")[0]
    if unit == "B":
        return format_size(value)
    if unit != "s":
        return f"{value:.3g}"
    # prices of one element lie below a nanosecond
    return f"{1e12 * value:.3g} ps" if 0 < abs(value) < 1e-9 else format_duration(value)
