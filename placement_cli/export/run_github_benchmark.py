"""A run for github-action-benchmark: its custom form in which smaller values are better."""

from __future__ import annotations

import json
from typing import Any

from placement_cli.export.machine_facts import machine_facts
from placement_cli.export.plain_names import plain_line
from placement_cli.export.process_values import ArmValues, values_in
from placement_cli.store.run_document import RunDocument

UNITS = {"s": ("ns", 1e9), "bytes": ("bytes", 1.0), "share": ("share", 1.0)}
"""Unit of a metric to the one that is shown and what values are multiplied with."""


def run_github_benchmark(document: RunDocument, arm: str | None = None) -> str:
    """Return the run as that action reads it with `tool: customSmallerIsBetter`; `arm` alone where it is given.

    A value is the median over the processes, `range` how far its exact 95 % interval reaches, at most. Raises
    UsageError for an arm that no case has, NothingComparable without values.
    """
    machine = plain_line(machine_facts(document, arm).line)
    entries = [_entry(values, machine) for values in values_in(UNITS, document, arm, "github")]
    return json.dumps(entries, indent=1, allow_nan=False) + "\n"


def _entry(values: ArmValues, machine: str) -> dict[str, Any]:
    unit, scale = UNITS[values.metric.unit]
    middle = values.middle
    entry = {"name": values.name, "unit": unit, "value": scale * middle.median}
    if middle.interval is not None:
        reach = max(middle.interval.high - middle.median, middle.median - middle.interval.low) / middle.median
        entry["range"] = f"\N{PLUS-MINUS SIGN} {100 * reach:.1f} %"
    what = f"{values.metric.title}, median over {middle.n_blocks} processes"
    return {**entry, "extra": f"{what}\n{machine}"}
