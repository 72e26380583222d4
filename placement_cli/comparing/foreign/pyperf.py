"""Files of pyperf, version 1.0: every run is a process of its own, and its values are reduced to their median.

Runs without values calibrate the number of loops, or were made to compute metadata; they are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any, Literal

from pydantic import Field

from placement_cli.comparing.foreign.parts import ForeignPart, Quantity, nothing_in, parsed, stable_facts
from placement_cli.comparing.recorded import Recorded, Series, Unit
from placement_cli.comparing.values import checked
from placement_cli.errors import UnreadableInput

TOOL = "pyperf"
METRICS: Mapping[str, tuple[str, Unit]] = {
    "second": ("time_s", "s"),
    "byte": ("size_bytes", "bytes"),
    "integer": ("count", "count"),
}
"""Key and unit of what pyperf measures, by its own name of the unit."""
FACTS = ("cpu_count", "cpu_model_name", "platform", "python_implementation", "python_version")
"""Metadata that stays the same from run to run on one set-up."""


class _Run(ForeignPart):
    metadata: dict[str, Any] = Field(default_factory=dict)
    values: list[Quantity] = Field(default_factory=list)


class _Benchmark(ForeignPart):
    metadata: dict[str, Any] = Field(default_factory=dict)
    runs: list[_Run]


class _Suite(ForeignPart):
    version: Literal["1.0"]
    metadata: dict[str, Any] = Field(default_factory=dict)
    benchmarks: list[_Benchmark]


def recognised(data: Mapping[str, Any]) -> bool:
    """Tell whether `data` looks like a file of pyperf."""
    benchmarks = data.get("benchmarks")
    return isinstance(data.get("version"), str) and isinstance(benchmarks, list) and "context" not in data


def recorded(data: Mapping[str, Any], name: str, origin: str) -> Recorded:
    """Return the benchmarks of a pyperf file; raises UnreadableInput, with the place, when it is damaged."""
    suite = parsed(_Suite, data, origin, TOOL)
    series = [
        _series(each, {**suite.metadata, **each.metadata}, f"{origin}: benchmarks.{number}")
        for number, each in enumerate(suite.benchmarks)
    ]
    if not any(each.values for each in series):
        raise nothing_in(origin, TOOL)
    metadata = _metadata(suite)
    return Recorded(
        name=name,
        origin=origin,
        tool=f"{TOOL} {str(metadata.get('perf_version', ''))[:40]}".strip(),
        started=str(metadata.get("date", ""))[:40],
        fingerprint="",
        stable=stable_facts(**{key: metadata.get(key) for key in FACTS}),
        series=tuple(each for each in series if each.values),
    )


def _series(benchmark: _Benchmark, metadata: Mapping[str, Any], place: str) -> Series:
    name, unit = metadata.get("name"), metadata.get("unit", "second")
    if not isinstance(name, str) or not name:
        raise UnreadableInput(f"{place}: the name of the benchmark is missing.")
    if not isinstance(unit, str) or unit not in METRICS:
        raise UnreadableInput(f"{place}: unit {str(unit)[:40]!r} is none of {', '.join(METRICS)}.")
    metric, si = METRICS[unit]
    values = [median(run.values) for run in benchmark.runs if run.values]
    return Series(name[:1000], "", metric, si, checked(values, place))


def _metadata(suite: _Suite) -> dict[str, Any]:
    """Return what is known of the first benchmark: pyperf keeps in common what all of them share."""
    first = suite.benchmarks[0]
    runs = [run.metadata for run in first.runs if run.values][:1]
    return {key: value for part in (*runs, first.metadata, suite.metadata) for key, value in part.items()}
