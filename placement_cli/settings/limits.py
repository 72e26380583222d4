"""How much slower, or how much more memory, is still fine: limits as people write them, and which one holds where.

A change is relative to the base: +5 % means that the new side takes 1.05 times as long, or as many bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from placement_cli.located.globs import glob_matches
from placement_cli.located.places import quoted
from placement_cli.units import MAX_TEXT

DEFAULT_TIME_LIMIT: Final = 0.03
"""Change of a time that counts without settings, as the smallest effect of `bench`.

On a shared 2-core machine, idle and busy, none of 239 verdicts over 10 pairs of processes took equal code for slower.
"""
DEFAULT_MEMORY_LIMIT: Final = 0.10
"""Change of bytes that counts without settings: bytes hardly vary between blocks, but allocators round sizes up."""
MAX_LIMIT: Final = 10.0
"""Eleven times as long: beyond that a limit limits nothing."""

OFF: Final = "off"
"""What is written where nothing is to be gated."""
TIME, MEMORY = "time", "memory"
"""The two groups of metrics: all that are not bytes, and those that are."""
METRIC_KEYS: Final = (
    "complete_s",
    "dispatch_s",
    "in_flight_bytes",
    "spike_s",
    "latency_s",
    "latency_p95_s",
    "busy_share",
)
"""The metrics of all readings, as documents call them."""

_LIMIT = re.compile(r"\s*\+\s*(?P<percent>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*%\s*")


def parse_limit(text: str) -> float:
    """Return the relative change that `text` means: 0.05 for `+5%` or `+5 %`.

    Raises ValueError, with what to write instead, for anything else: no sign, no percent sign, zero, less, or more
    than +1000%.
    """
    found = _LIMIT.fullmatch(text) if len(text) <= MAX_TEXT else None
    change = float(Decimal(found["percent"]) / 100) if found else 0.0
    if not 0.0 < change <= MAX_LIMIT:
        raise ValueError(
            f"{quoted(text)} is no limit: write the change that is still fine as +5%, above zero and up to +1000%, "
            f"with its sign (200% could mean twice as long or three times)"
        )
    return change


def parse_limit_or_off(text: str) -> float | None:
    """Return the relative change that `text` means, None for `off`; raises ValueError for anything else."""
    return None if text == OFF else parse_limit(text)


def format_limit(value: float | None) -> str:
    """Return a limit as `parse_limit_or_off` reads it: `+5%`, or `off` for None."""
    if value is None:
        return OFF
    percent = f"{Decimal(repr(value)) * 100:f}"
    return f"+{percent.rstrip('0').rstrip('.') if '.' in percent else percent}%"


def is_memory(metric: str) -> bool:
    """Tell whether `metric` counts bytes."""
    return metric.endswith("_bytes")


def metric_matches(pattern: str, metric: str) -> bool:
    """Tell whether `pattern` (a key, a glob, `time` or `memory`) covers `metric`."""
    if pattern in {TIME, MEMORY}:
        return is_memory(metric) is (pattern == MEMORY)
    return glob_matches(pattern, metric)


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit as a relative change, None where nothing is gated, and where it was given.

    `named` says that an entry asks for this metric by its key or by a glob of keys, not by a group or for all metrics:
    then a metric that no gate looks at by itself is wanted in this one.
    """

    value: float | None
    origin: str
    named: bool = False


@dataclass(frozen=True, slots=True)
class LimitEntry:
    """One entry of `limits`: the globs of case, arm and metric that it holds for, and the limit there."""

    value: float | None
    origin: str
    cases: str = "*"
    arm: str = "*"
    metric: str = "*"

    def covers(self, case_id: str, arm: str, metric: str) -> bool:
        """Tell whether this entry is about `metric` of `arm` in the case `case_id`."""
        return metric_matches(self.metric, metric) and glob_matches(self.arm, arm) and glob_matches(self.cases, case_id)

    @property
    def names_metric(self) -> bool:
        """Whether the metric is asked for by its key or by a glob of keys."""
        return self.metric not in {"*", TIME, MEMORY}


@dataclass(frozen=True, slots=True)
class Limits:
    """Which limit holds for a comparison: that of the last entry that covers it, else `time` or `memory`."""

    time: Limit
    memory: Limit
    entries: tuple[LimitEntry, ...] = ()

    def limit_for(self, case_id: str, arm: str, metric: str) -> Limit:
        """Return the limit of `metric` for `arm` (as the scenario calls it) in the case `case_id`."""
        for entry in reversed(self.entries):
            if entry.covers(case_id, arm, metric):
                return Limit(entry.value, entry.origin, entry.names_metric)
        return self.memory if is_memory(metric) else self.time

    def unmatched(self, compared: Iterable[tuple[str, str, str]]) -> tuple[LimitEntry, ...]:
        """Return the entries that cover none of `compared` (case id, arm, metric): most likely a typing mistake.

        An entry that a later one always overrides covers something all the same.
        """
        left = list(self.entries)
        for each in compared:
            left = [entry for entry in left if not entry.covers(*each)]
        return tuple(left)
