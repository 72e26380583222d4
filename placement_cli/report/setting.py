"""Where and how a run was measured: the end of its section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from placement_cli.comparing.dates import moment_text
from placement_cli.report.charts.axes import MOST
from placement_cli.report.escaping import Html, element, joined
from placement_cli.report.picture import Table
from placement_cli.report.tables import table_html
from placement_cli.store.run_document import Estimate, RunDocument
from placement_cli.units import format_duration, format_ratio, format_size


def setting(document: RunDocument) -> Html:
    """Return the environment, the method and the facts of a run as tables."""
    run = document.run
    facts = {
        "run": run.id,
        "started": moment_text(run.started),
        "took": format_duration(run.duration_s),
        "command": " ".join(["placement", *run.argv]),
        "seed": run.seed,
        "complete": run.complete,
        "written by": f"{document.tool.name} {document.tool.version}",
        "exit": f"{document.exit.code} ({document.exit.name})",
    }
    env = {"fingerprint": document.env.fingerprint, **document.env.stable}
    notes = [f"{each.level}: {each.text}" for each in document.diagnostics if each.level == "info"]
    tables = (
        _facts("The run", facts),
        _facts("The machine", env),
        _facts("How it was measured and decided", {**document.method, **document.env.harness}),
    )
    remarks = element("ul", *(element("li", note) for note in notes)) if notes else ""
    return joined([element("div", *tables, class_="settings"), remarks])


def estimates(found: Iterable[tuple[str, Estimate]]) -> Table | None:
    """Return quantities with their intervals, each with where it holds; None where there are none."""
    rows = tuple(
        (
            where,
            each.name,
            *(_quantity(value, each.unit) for value in (each.value, each.low, each.high)),
            each.reason or "",
        )
        for where, each in found
    )
    return Table(("where", "quantity", "value", "low", "high", "remark"), rows, words=2) if rows else None


def _quantity(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    return format_duration(value) if unit == "s" else f"{format_ratio(value)} {unit}"


def _facts(title: str, facts: Mapping[str, Any]) -> Html:
    rows = tuple((key.replace("_", " "), fact_text(key, value)) for key, value in facts.items())
    return table_html(Table(("fact", "value"), rows, words=2), title)


def fact_text(key: str, value: Any) -> str:
    """Return a fact as a person writes it: sizes and durations in their unit, by the end of `key`; parts one by one."""
    if isinstance(value, int | float) and not -MOST <= value <= MOST:
        return str(value)
    match value:
        case None:
            return "unknown"
        case bool():
            return "yes" if value else "no"
        case int() | float() if key.endswith("_bytes"):
            return format_size(value)
        case int() | float() if key.endswith("_s"):
            return format_duration(value)
        case float():
            return format_ratio(value)
        case dict():
            return ", ".join(f"{name} {fact_text(str(name), part)}" for name, part in value.items()) or "none"
        case list():
            return "; ".join(fact_text(key, part) for part in value) or "none"
        case _:
            return str(value)
