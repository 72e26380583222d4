"""A run as Google Benchmark's JSON, schema version 1: for its compare.py and the tools that read what it writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from statistics import median
from typing import Any

from placement_cli.bench.metrics import DISPATCH
from placement_cli.export.machine_facts import machine_facts
from placement_cli.export.plain_names import plain_line
from placement_cli.export.process_values import ArmValues, ProcessValue, values_in
from placement_cli.measure.sample import Sample
from placement_cli.store.run_document import RunDocument

SCHEMA_VERSION = 1
NS = 1e9


def run_google_benchmark(document: RunDocument, arm: str | None = None) -> str:
    """Return the run in that form: a repetition is a process, `iterations` the messages of a sample of it.

    `real_time` is the median over the rounds, of one message; `cpu_time` how long the host was held for one message,
    which is the nearest there is. Times are nanoseconds. A median over the repetitions follows each benchmark.
    Metrics that are no times are left out. Raises UsageError for an arm that no case has, and
    NothingComparable without times.
    """
    found = values_in(("s",), document, arm, "gbench")
    rows = [row for family, values in enumerate(found) for row in _rows(values, family)]
    return json.dumps({"context": _context(document, arm), "benchmarks": rows}, indent=1, allow_nan=False) + "\n"


def _context(document: RunDocument, arm: str | None) -> dict[str, Any]:
    facts = machine_facts(document, arm)
    cores: Any = facts.stable.get("cpu_logical")
    return {
        "date": plain_line(document.run.started),
        "host_name": plain_line(facts.line),
        "executable": document.tool.name,
        **({"num_cpus": cores} if isinstance(cores, int) else {}),
        "library_version": plain_line(document.tool.version),
        "library_build_type": "release",
        "json_schema_version": SCHEMA_VERSION,
        "placement_run": plain_line(document.run.id),
        "placement_fingerprint": plain_line(facts.fingerprint),
    }


def _rows(values: ArmValues, family: int) -> Iterator[dict[str, Any]]:
    shared = {
        "name": values.name,
        "family_index": family,
        "per_family_instance_index": 0,
        "run_name": values.name,
        "repetitions": len(values.processes),
        "threads": 1,
        "time_unit": "ns",
    }
    held = [_held_s(values, process) for process in values.processes]
    for number, (process, held_s) in enumerate(zip(values.processes, held, strict=True)):
        yield shared | {
            "run_type": "iteration",
            "repetition_index": number,
            "iterations": process.messages,
            "real_time": NS * process.value,
            "cpu_time": NS * held_s,
        }
    yield shared | {
        "name": f"{values.name}_median",
        "run_type": "aggregate",
        "aggregate_name": "median",
        "aggregate_unit": "time",
        "iterations": len(values.processes),
        "real_time": NS * values.middle.median,
        "cpu_time": NS * median(held),
    }


def _held_s(values: ArmValues, process: ProcessValue) -> float:
    """Return the seconds the host was held for one message, the median over the rounds."""
    return median(
        DISPATCH.read(Sample.from_json(record.model_dump(exclude_none=True)))
        for record in process.block.samples
        if record.arm == values.arm and record.phase == "measure"
    )
