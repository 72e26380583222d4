"""What stands in the cells of tables of stored runs."""

from __future__ import annotations

from rich.text import Text

from placement_cli.comparing.columns import Layout
from placement_cli.comparing.stored import StoredRow
from placement_cli.comparing.titles import mark
from placement_cli.render.cells import VERDICT_STYLES
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.units import format_duration, format_percent, format_ratio, format_size

UNCLAIMED = "dim"


def shared_line(layout: Layout) -> Hanging | None:
    """Return what stands the same in every row of a table, None where nothing does."""
    shared = "; ".join(f"{name} {value}" for name, value in layout.shared.items())
    return Hanging(plain(f"the same in every row: {shared}", UNCLAIMED)) if shared else None


def quantity_text(value: float, unit: str) -> str:
    """Return a value in its unit."""
    match unit:
        case "s":
            return format_duration(value)
        case "bytes":
            return format_size(value)
        case "share":
            return format_percent(value)
        case _:
            return f"{value:,.6g}"


def ratio_cell(row: StoredRow) -> Text:
    """Return the ratio with its interval, such as `1.44x [1.38, 1.50]`; nothing where there is none."""
    if row.ratio is None:
        return Text()
    interval = row.interval
    bounds = "" if interval is None else f" [{format_ratio(interval.low)}, {format_ratio(interval.high)}]"
    return Text(f"{format_ratio(row.ratio)}x{bounds}")


def mark_cell(row: StoredRow) -> Text:
    """Return the verdict in the words of its unit, `~` where nothing is claimed."""
    style = UNCLAIMED if row.verdict == "inconclusive" else VERDICT_STYLES[row.verdict]
    return Text(mark(row.verdict, row.base.unit), style=style)
