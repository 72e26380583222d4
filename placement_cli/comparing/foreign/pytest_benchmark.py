"""Files of pytest-benchmark (`--benchmark-json`, `--benchmark-save`): rounds of one process, in seconds.

Files that were saved without their rounds hold a median, which then stands in for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from placement_cli.comparing.foreign.parts import (
    IN_PROCESS,
    ForeignPart,
    Name,
    Quantity,
    nothing_in,
    parsed,
    stable_facts,
)
from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.comparing.values import checked
from placement_cli.graph.pipeline import ParameterValue

TOOL = "pytest-benchmark"
FACTS = ("machine", "python_implementation", "python_version", "system")


class _Stats(ForeignPart):
    data: list[Quantity] = Field(default_factory=list)
    median: Quantity | None = None


class _Benchmark(ForeignPart):
    name: Name
    fullname: Name | None = None
    params: dict[str, Any] | None = None
    stats: _Stats


class _File(ForeignPart):
    machine_info: dict[str, Any]
    benchmarks: list[_Benchmark]
    datetime: str = ""
    version: str = ""


def recognised(data: Mapping[str, Any]) -> bool:
    """Tell whether `data` looks like a file of pytest-benchmark."""
    return isinstance(data.get("machine_info"), dict) and isinstance(data.get("benchmarks"), list)


def recorded(data: Mapping[str, Any], name: str, origin: str) -> Recorded:
    """Return the benchmarks of the file; raises UnreadableInput, with the place, when it is damaged."""
    file = parsed(_File, data, origin, TOOL)
    series = [_series(each, f"{origin}: benchmarks.{number}") for number, each in enumerate(file.benchmarks)]
    if not any(each.values for each in series):
        raise nothing_in(origin, TOOL)
    cpu = file.machine_info.get("cpu")
    facts = {key: file.machine_info.get(key) for key in FACTS}
    return Recorded(
        name=name,
        origin=origin,
        tool=f"{TOOL} {file.version[:40]}".strip(),
        started=file.datetime[:40],
        fingerprint="",
        stable=stable_facts(**facts, cpu=cpu.get("brand_raw") if isinstance(cpu, dict) else None),
        series=tuple(each for each in series if each.values),
        notes=(IN_PROCESS,),
    )


def _series(benchmark: _Benchmark, place: str) -> Series:
    stats = benchmark.stats
    values = stats.data or ([] if stats.median is None else [stats.median])
    name = benchmark.fullname or benchmark.name
    return Series(name, "", "time_s", "s", checked(values, place), _params(benchmark.params), independent=False)


def _params(params: Mapping[str, Any] | None) -> dict[str, ParameterValue]:
    return {key[:100]: value for key, value in (params or {}).items() if isinstance(value, int | float | str)}
