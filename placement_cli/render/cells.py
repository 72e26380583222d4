"""What stands in the cells of tables: quantities, ratios and verdicts, told apart by words and not by colour alone."""

from __future__ import annotations

from rich.text import Text

from placement_cli.render.plain import plain
from placement_cli.store.run_document import ArmSummary, Comparison
from placement_cli.units import format_duration, format_ratio, format_size

VERDICT_STYLES = {
    "faster": "green",
    "slower": "red",
    "same": "dim",
    "inconclusive": "yellow",
    "invalid": "bold red",
}


def quantity(summary: ArmSummary, metric: str) -> str:
    """Return the median of `metric` in `summary`, in its unit."""
    match metric:
        case "in_flight_bytes":
            return format_size(summary.in_flight_bytes.median)
        case "dispatch_s":
            return format_duration(summary.dispatch_s.median)
        case _:
            return format_duration(summary.complete_s.median)


def ratio_cell(comparison: Comparison) -> Text:
    """Return ratio, interval and verdict on two lines, such as `1.44 [1.38, 1.50]` over `slower`."""
    style = VERDICT_STYLES[comparison.verdict]
    word = Text(more_or_less(comparison), style=style)
    if comparison.ratio is None:
        return word
    return Text("\n").join([Text(ratio_text(comparison)), word])


def ratio_text(comparison: Comparison) -> str:
    """Return the ratio with its interval."""
    if comparison.ratio is None:
        return "-"
    text = f"{format_ratio(comparison.ratio)}x"
    if comparison.ci is None:
        return text
    low, high = comparison.ci
    return f"{text} [{format_ratio(low)}, {format_ratio(high)}]"


def more_or_less(comparison: Comparison) -> str:
    """Return the verdict in the words of its metric: bytes are more or less, times slower or faster."""
    if comparison.metric in ("in_flight_bytes", "busy_share"):
        return {"slower": "more", "faster": "less"}.get(comparison.verdict, comparison.verdict)
    return comparison.verdict


def arm_cell(summary: ArmSummary | None, comparison: Comparison | None, metric: str, twin: str | None = None) -> Text:
    """Return the cell of one arm: its quantity, and how it compares with the base where it is not the base."""
    if twin is not None:
        return plain(f"is {twin} here", "dim")
    if summary is None:
        return Text("not measured", style="bold red") if comparison is None else ratio_cell(comparison)
    first = Text(quantity(summary, metric), style="bold")
    return first if comparison is None else Text("\n").join([first, ratio_cell(comparison)])
