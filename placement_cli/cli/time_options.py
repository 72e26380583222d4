"""Options whose value is a length of time."""

from __future__ import annotations

from placement_cli.errors import UsageError
from placement_cli.units import parse_duration


def seconds_of(option: str, text: str) -> float:
    """Return the seconds that the value of `option` means; raises UsageError for none."""
    try:
        seconds = parse_duration(text)
    except ValueError as error:
        raise UsageError(f"{option} {text}: {error}") from None
    if seconds <= 0:
        raise UsageError(f"{option} {text}: expected more than nothing, such as 5 min.")
    return seconds
