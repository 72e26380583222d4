"""A row of values as a line of small bars, one character each."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

BARS = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
ASCII_BARS = "_.-~=*#@"
"""For terminals without Unicode."""
MOST_POINTS = 24
LEAST_RANGE = log(1.1)
"""Log ratio that the height of the bars spans at least: noise of a per cent stays a level line."""


def sparkline(values: Sequence[float], encoding: str = "utf-8") -> str:
    """Return the newest 24 of `values`, oldest first, as bars on a logarithmic scale; none for values of zero."""
    shown = values[-MOST_POINTS:]
    if not shown or min(shown) <= 0:
        return ""
    bars = BARS if encoding.lower().startswith("utf") else ASCII_BARS
    logs = [log(value) for value in shown]
    span = max(LEAST_RANGE, max(logs) - min(logs))
    # Half a bar lower, so that a level row lies within one bar and not on the edge between two.
    low = (max(logs) + min(logs) - span - span / len(bars)) / 2
    return "".join(bars[min(len(bars) - 1, int(len(bars) * (each - low) / span))] for each in logs)
