"""What is read off the samples of each kind of reading, and compared between arms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Literal

from placement_cli.measure.sample import Sample
from placement_cli.measure.specs import Reading

PAGE_BYTES = 4096
"""Bytes in flight are compared from one page up: below that a ratio of bytes means nothing."""
LEAST_SHARE = 1e-4
"""Shares of time are compared from here up."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One quantity of a sample. `key` is its name in documents, `title` what tables call it."""

    key: str
    title: str
    unit: Literal["s", "bytes", "share"]
    read: Callable[[Sample], float]


def _p95(values: list[float]) -> float:
    return quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


COMPLETE = Metric("complete_s", "time per message", "s", lambda s: s.complete_s / s.messages)
DISPATCH = Metric("dispatch_s", "host time per message", "s", lambda s: s.dispatch_s / s.messages)
IN_FLIGHT = Metric("in_flight_bytes", "in flight", "bytes", lambda s: max(PAGE_BYTES, s.in_flight_bytes))
SPIKE = Metric("spike_s", "longest message", "s", lambda s: max(max(s.latency_s, default=0.0), s.finish_s or 0.0))
LATENCY = Metric("latency_s", "latency p50", "s", lambda s: median(s.latency_s))
LATENCY_P95 = Metric("latency_p95_s", "latency p95", "s", lambda s: _p95(list(s.latency_s)))
BUSY = Metric("busy_share", "host busy", "share", lambda s: max(LEAST_SHARE, 1.0 - (s.free_share or 0.0)))

METRICS: dict[Reading, tuple[Metric, ...]] = {
    Reading.STREAM: (COMPLETE, IN_FLIGHT),
    Reading.BURST: (DISPATCH, COMPLETE),
    Reading.QUEUE: (DISPATCH,),
    Reading.PENDING: (COMPLETE, SPIKE),
    Reading.PACED: (LATENCY, LATENCY_P95, BUSY),
}
"""The metrics of each reading; verdicts and stopping rest on the first."""
TITLES: Mapping[str, str] = {metric.key: metric.title for metrics in METRICS.values() for metric in metrics}
"""Key of a metric to its title."""


def primary(reading: Reading) -> Metric:
    """Return the metric that decides when a case of this reading has been measured enough."""
    return METRICS[reading][0]
