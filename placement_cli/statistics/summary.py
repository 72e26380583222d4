"""What people and documents are told about a row of numbers: the middle and its edges, never the mean alone.

Percentiles are by nearest rank: the p-th percentile of n values is the ceil(p n / 100)-th smallest, so it is
always a value that was seen. Few values therefore never pretend to a tail: the 99th percentile of fewer than
100 latencies is the largest of them. The median alone is the usual one, the mean of the two middle values
when n is even, so that it is the same number as in verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from placement_cli.statistics.finite import Numbers, finite


@dataclass(frozen=True, slots=True)
class Summary:
    """Median and 10th and 90th percentile of `n` values, in their unit."""

    median: float
    p10: float
    p90: float
    n: int


@dataclass(frozen=True, slots=True)
class LatencySummary:
    """Nearest-rank percentiles and the largest of `n` latencies: a stalled queue hides in a mean."""

    p50: float
    p95: float
    p99: float
    max: float
    n: int


def percentile(values: Numbers, percent: int) -> float:
    """Return the nearest-rank percentile: the smallest value that `percent` % of the values do not exceed.

    Raises ValueError when `percent` is not from 1 to 100, and on NaN, infinite or no values.
    """
    if not 1 <= percent <= 100:
        raise ValueError(f"a percentile lies between 1 and 100, not {percent}")
    row = np.sort(finite(values, "values of a percentile"))
    rank = -(-percent * row.size // 100)
    return float(row[rank - 1])


def summarise(values: Numbers) -> Summary:
    """Return the summary of `values`; raises ValueError on NaN, infinite or no values."""
    row = finite(values, "values of a summary")
    return Summary(float(np.median(row)), percentile(row, 10), percentile(row, 90), row.size)


def latency_summary(values: Numbers) -> LatencySummary:
    """Return the percentiles of per-message latencies; raises ValueError on NaN, infinite or no values."""
    row = finite(values, "latencies")
    p50, p95, p99 = (percentile(row, percent) for percent in (50, 95, 99))
    return LatencySummary(p50, p95, p99, float(row.max()), row.size)
