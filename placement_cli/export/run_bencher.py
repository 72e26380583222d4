"""A run in the Bencher Metric Format: for every arm of every case its measures with their intervals."""

from __future__ import annotations

import json
from typing import Any

from placement_cli.export.process_values import ArmValues, values_in
from placement_cli.store.run_document import RunDocument

MEASURES = {
    "complete_s": "latency",
    "dispatch_s": "dispatch-latency",
    "in_flight_bytes": "in-flight-memory",
    "spike_s": "spike-latency",
    "latency_s": "latency",
    "latency_p95_s": "latency-p95",
    "busy_share": "host-busy",
}
"""Metric to the measure it is, as Bencher calls such: `latency` is built in there, and in nanoseconds."""
SCALES = {"s": 1e9, "bytes": 1.0, "share": 1.0}
"""What values of a unit are multiplied with: times are nanoseconds there."""
IGNORED = "_bencher_ignore"
"""The ending of a benchmark whose values are kept and never alerted on: here, what no gate could fail for."""


def run_bencher(document: RunDocument, arm: str | None = None) -> str:
    """Return the run as Bencher reads it with the adapter `json`; of each case `arm` alone where it is given.

    A value is the median over the processes, `lower_value` and `upper_value` its exact 95 % interval, left out where
    there are too few. Raises UsageError for an arm that no case has, NothingComparable without values.
    """
    whole: dict[str, dict[str, Any]] = {}
    for values in values_in(SCALES, document, arm, "bencher"):
        measures = whole.setdefault(_name(document, values), {})
        measures[MEASURES.get(values.metric.key, values.metric.key)] = _measure(values)
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def _name(document: RunDocument, values: ArmValues) -> str:
    gated = document.gate is None or any(each.gated for each in values.case.comparisons)
    return values.label if gated else f"{values.label}{IGNORED}"


def _measure(values: ArmValues) -> dict[str, float]:
    scale = SCALES[values.metric.unit]
    middle = values.middle
    measure = {"value": scale * middle.median}
    if middle.interval is None:
        return measure
    return {**measure, "lower_value": scale * middle.interval.low, "upper_value": scale * middle.interval.high}
