"""Predicted against measured times as a chart of characters."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from placement_cli.units import format_duration

WIDEST, LINES = 76, 18
LEAST_COLUMNS = 36
"""In a narrower terminal there is no chart."""


class PredictedChart:
    """Points of (measured, predicted) seconds, both axes logarithmic, with the line on which they are equal.

    A point without a time above zero has no place there.
    """

    def __init__(self, measured_s: Sequence[float], predicted_s: Sequence[float]) -> None:
        points = [(x, y) for x, y in zip(measured_s, predicted_s, strict=True) if min(x, y) > 0]
        self._measured, self._predicted = [x for x, _ in points], [y for _, y in points]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines of the chart; nothing where there are no points or no room."""
        columns = min(WIDEST, options.max_width)
        if not self._measured or columns < LEAST_COLUMNS:
            return
        yield Text("predicted (up) against measured (right), the line is equality", style="italic")
        for line in self._drawn(columns).splitlines():
            yield Text(_in_encoding(line.rstrip(), options.encoding))

    def _drawn(self, columns: int) -> str:
        # plotext draws on one figure of its own; it is cleared before and after
        import plotext

        low, high = self._decades()
        ends, ticks = [10.0**low, 10.0**high], [10.0**exponent for exponent in range(low, high + 1)]
        names = [format_duration(tick).replace(".00", "").replace(".0 ", " ") for tick in ticks]
        plotext.clear_figure()
        plotext.theme("clear")
        plotext.plotsize(columns, LINES)
        plotext.xscale("log")
        plotext.yscale("log")
        plotext.plot(ends, ends, marker=".")
        plotext.scatter(self._measured, self._predicted, marker="o")
        plotext.xticks(ticks, names)
        plotext.yticks(ticks, names)
        built: Any = plotext.build()
        plotext.clear_figure()
        return Text.from_ansi(built).plain

    def _decades(self) -> tuple[int, int]:
        seconds = [*self._measured, *self._predicted]
        low, high = floor(log10(min(seconds))), ceil(log10(max(seconds)))
        return low, max(high, low + 1)


_PLAIN = str.maketrans(
    {
        "\N{BOX DRAWINGS LIGHT HORIZONTAL}": "-",
        "\N{BOX DRAWINGS LIGHT VERTICAL}": "|",
        "\N{MICRO SIGN}": "u",
    }
    | dict.fromkeys("\u250c\u2510\u2514\u2518\u251c\u2524\u252c\u2534\u253c", "+")
)


def _in_encoding(line: str, encoding: str) -> str:
    """Return the line with box drawings written in ASCII where the terminal has no Unicode."""
    return line if encoding.lower().startswith("utf") else line.translate(_PLAIN)
