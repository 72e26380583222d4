"""Files of Google Benchmark (`--benchmark_out_format=json`): repetitions of one process, in the unit each row names.

Aggregates are passed over where the repetitions are there; of a file with aggregates alone the median stands in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

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

TOOL = "Google Benchmark"
SECONDS: Mapping[str, float] = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
TIMES = (("real_time", "real_time_s"), ("cpu_time", "cpu_time_s"))
"""Keys of the times of a row, and of the series they become."""


class _Row(ForeignPart):
    name: Name
    run_name: Name | None = None
    run_type: str = "iteration"
    aggregate_name: str = ""
    error_occurred: bool = False
    skipped: bool = False
    real_time: Quantity | None = None
    cpu_time: Quantity | None = None
    time_unit: Literal["ns", "us", "ms", "s"] = "ns"

    @property
    def benchmark(self) -> str:
        """What the repetitions and aggregates of one benchmark share."""
        return self.run_name or self.name


class _File(ForeignPart):
    context: dict[str, Any]
    benchmarks: list[_Row]


def recognised(data: Mapping[str, Any]) -> bool:
    """Tell whether `data` looks like a file of Google Benchmark."""
    return isinstance(data.get("context"), dict) and isinstance(data.get("benchmarks"), list)


def recorded(data: Mapping[str, Any], name: str, origin: str) -> Recorded:
    """Return the benchmarks of the file; raises UnreadableInput, with the place, when it is damaged."""
    file = parsed(_File, data, origin, TOOL)
    sound = [row for row in file.benchmarks if not (row.error_occurred or row.skipped)]
    series = [
        Series(benchmark, "", metric, "s", values, independent=False)
        for benchmark, rows in _by_benchmark(sound).items()
        for key, metric in TIMES
        if (values := _seconds(rows, key, f"{origin}: {benchmark}"))
    ]
    if not series:
        raise nothing_in(origin, TOOL)
    failed = list(dict.fromkeys(row.benchmark for row in file.benchmarks if row.error_occurred or row.skipped))
    notes = [f"Left out, as they failed or were skipped: {', '.join(failed[:5])}."] if failed else []
    return Recorded(
        name=name,
        origin=origin,
        tool=f"{TOOL} {str(file.context.get('library_version', ''))[:40]}".strip(),
        started=str(file.context.get("date", ""))[:40],
        fingerprint="",
        stable=stable_facts(**{key: file.context.get(key) for key in ("num_cpus", "library_build_type")}),
        series=tuple(series),
        notes=(IN_PROCESS, *notes),
    )


def _by_benchmark(rows: Sequence[_Row]) -> dict[str, list[_Row]]:
    found: dict[str, list[_Row]] = {}
    for row in rows:
        found.setdefault(row.benchmark, []).append(row)
    return found


def _seconds(rows: Sequence[_Row], key: str, place: str) -> tuple[float, ...]:
    """Return the times under `key` in seconds: of the repetitions, or else of the median of them."""
    single = [row for row in rows if row.run_type == "iteration"]
    kept = single or [row for row in rows if row.aggregate_name == "median"]
    times = [(getattr(row, key), SECONDS[row.time_unit]) for row in kept]
    return checked([time * unit for time, unit in times if time is not None], place)
