"""What tables call the metrics of stored runs."""

from __future__ import annotations

from collections.abc import Mapping

from placement_cli.bench.metrics import TITLES
from placement_cli.statistics.verdict import VerdictKind

ALL_TITLES: Mapping[str, str] = {
    **TITLES,
    "time_s": "time",
    "real_time_s": "real time",
    "cpu_time_s": "CPU time",
    "size_bytes": "size",
    "peak_bytes": "peak memory",
}
"""By the key of a metric: those of this program, and of what other tools measure."""
NO_CLAIM = "~"
"""Stands where nothing is claimed."""


def metric_title(metric: str) -> str:
    """Return what a metric is called; one that has no title goes by its key."""
    return ALL_TITLES.get(metric, metric)


def mark(verdict: VerdictKind, unit: str) -> str:
    """Return the verdict in the words of its unit, `~` where nothing is claimed: there is more or less of bytes."""
    if verdict not in (VerdictKind.SLOWER, VerdictKind.FASTER, VerdictKind.SAME):
        return NO_CLAIM
    words = {"slower": "more", "faster": "less"} if unit != "s" else {}
    return words.get(verdict.value, verdict.value)
