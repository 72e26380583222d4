"""Placements in tables: what was predicted for each, and what was measured beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.text import Text

from placement_cli.blocks.wording import counted
from placement_cli.render.plain import plain
from placement_cli.render.sheet import Group, Row, Sheet
from placement_cli.store.advice_document import (
    AdviceDocument,
    EstimateRecord,
    MeasuredRecord,
    PlacementRecord,
    PredictedRecord,
    VerifiedRecord,
)
from placement_cli.units import format_duration, format_percent, format_ratio, format_size

HEADINGS = ("placement", "time", "host", "latency", "in flight", "device busy")
ADVISED = "advised"

Format = Callable[[float], str]


def times_text(ratio: float) -> str:
    """Return a ratio as a factor, such as `1.40x`."""
    return f"{format_ratio(ratio)}x"


MEASURED: tuple[tuple[str, Format], ...] = (
    ("time", format_duration),
    ("host", format_duration),
    ("latency", format_duration),
    ("in flight", format_size),
    ("time over tail", times_text),
)
"""What is measured, and how it is written."""


def placements_table(placements: Sequence[PlacementRecord], document: AdviceDocument) -> Sheet:
    """Return a row for each placement; the ratio is over the current one, and the advised one is marked."""
    return Sheet((), HEADINGS, (Group((), tuple(_row(each, document) for each in placements)),))


def violations(placements: Sequence[PlacementRecord]) -> Iterator[str]:
    """Yield what each placement breaks, as sentences that begin with its name."""
    for each in placements:
        for sentence in each.violates:
            yield f"{each.name}: {sentence}"


def verified_table(verified: VerifiedRecord, document: AdviceDocument) -> Sheet:
    """Return for each placement what was predicted and measured, a row for every quantity that was measured."""
    predicted = {each.name: each.predicted for each in (*document.pareto, *document.alternatives)}
    groups = (Group((plain(each.name),), _measured(each, predicted.get(each.name))) for each in verified.measured)
    return Sheet((Text("placement"),), ("quantity", "predicted", "measured"), tuple(groups))


def value_text(estimate: EstimateRecord | None, form: Format) -> str:
    """Return the number alone, or why there is none; nothing where nothing was measured."""
    if estimate is None:
        return ""
    return (estimate.reason or "") if estimate.value is None else form(estimate.value)


def interval_text(estimate: EstimateRecord | None, form: Format) -> str:
    """Return the number and its interval, such as `1.44 [1.38, 1.50]`; an open end is shown as such."""
    if estimate is None or estimate.value is None:
        return value_text(estimate, form)
    low, high = ("..." if end is None else form(end) for end in (estimate.low, estimate.high))
    return f"{form(estimate.value)} [{low}, {high}]"


def _row(each: PlacementRecord, document: AdviceDocument) -> Row:
    predicted = each.predicted
    cells = (
        value_text(predicted.period_s, format_duration),
        value_text(predicted.host_s, format_duration),
        value_text(predicted.latency_s, format_duration),
        value_text(predicted.in_flight_bytes, format_size),
        value_text(predicted.device_busy, format_percent),
    )
    advised = each.placement == document.placement
    name = plain(each.name, "bold" if advised else "")
    return Row((name, *map(Text, cells)), (plain(interval_text(each.ratio, times_text)), _word(each, advised=advised)))


def _word(each: PlacementRecord, *, advised: bool) -> Text:
    if each.violates:
        return Text(f"violates {counted(len(each.violates), 'limit')}", style="red")
    return Text(ADVISED, style="bold green") if advised else Text()


def _measured(each: MeasuredRecord, predicted: PredictedRecord | None) -> tuple[Row, ...]:
    before: Sequence[EstimateRecord | None] = (None, None, None, None)
    if predicted is not None:
        before = (predicted.host_s, predicted.latency_s, predicted.in_flight_bytes, None)
    forecasts = (each.predicted_period_s, *before)
    measured = (each.period_s, each.host_s, each.latency_s, each.in_flight_bytes, each.ratio)
    rows = []
    for (name, form), forecast, found in zip(MEASURED, forecasts, measured, strict=True):
        if found is not None:
            rows.append(Row((Text(name), plain(value_text(forecast, form)), plain(interval_text(found, form)))))
    return tuple(rows)
