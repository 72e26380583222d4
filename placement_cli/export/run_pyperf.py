"""A run as pyperf reads it: JSON of its format 1.0, for `python -m pyperf stats`, `hist` and `compare_to`.

One benchmark for each metric of each arm of each case, one run for each process with one value: the median over its
rounds. pyperf's test pools all values of a file, and takes files with different numbers of them to differ whatever
they hold: one value a process, and the same processes for all arms, keep both from happening.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from placement_cli.export.machine_facts import machine_facts
from placement_cli.export.plain_names import plain_line
from placement_cli.export.process_values import ArmValues, ProcessValue, values_in
from placement_cli.store.run_document import RunDocument

VERSION = "1.0"
UNITS = {"s": "second", "bytes": "byte"}
"""Units of metrics in pyperf's words; it has none for shares, which are left out."""
RESERVED_TAGS = ("", "all")
"""pyperf refuses these."""


def run_pyperf(document: RunDocument, arm: str | None = None) -> str:
    """Return the run in pyperf's format, values of one message; of each case `arm` alone where it is given.

    Without `arm` the names of benchmarks end with arm and metric, with it with the metric alone, so that the files of
    two arms match in `pyperf compare_to`. Raises UsageError for an arm that no case has, and
    NothingComparable without values.
    """
    found = values_in(UNITS, document, arm, "pyperf")
    tags = _tags(document)
    whole = {
        "version": VERSION,
        "metadata": _metadata(document, arm),
        "benchmarks": [_benchmark(v, tags.get(v.case.scenario, [])) for v in found],
    }
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def _metadata(document: RunDocument, arm: str | None) -> dict[str, Any]:
    facts = machine_facts(document, arm)
    implementation, _, version = str(facts.stable.get("python") or "").partition(" ")
    said = {
        "description": f"placement {' '.join(document.run.argv)}",
        "date": _date(document.run.started),
        "cpu_model_name": facts.stable.get("chip"),
        "cpu_count": facts.stable.get("cpu_logical"),
        "platform": facts.system,
        "python_implementation": implementation.lower(),
        "python_version": version,
        "timer": document.env.harness.get("timer"),
        "mlx_version": facts.stable.get("mlx"),
        "mlx_backend": facts.stable.get("backend"),
        "placement_version": document.tool.version,
        "placement_run": document.run.id,
        "placement_fingerprint": facts.fingerprint,
    }
    return _accepted(said)


def _tags(document: RunDocument) -> dict[str, list[str]]:
    """Return the tag of each scenario; a run of one has none, as pyperf prints everything once more for each tag."""
    names = [scenario.name for scenario in document.scenarios]
    tags = {name: plain_line(name) for name in names if len(names) > 1}
    return {name: [tag] for name, tag in tags.items() if tag not in RESERVED_TAGS}


def _benchmark(values: ArmValues, tags: list[str]) -> dict[str, Any]:
    metadata = {
        "name": values.name,
        "unit": UNITS[values.metric.unit],
        **({"tags": tags} if tags else {}),
        **_accepted({"placement_arm": values.arm, **_compared(values)}),
    }
    return {"metadata": metadata, "runs": [_run(values, process) for process in values.processes]}


def _compared(values: ArmValues) -> dict[str, Any]:
    """Return what the run itself says of these values against the base; pyperf's ratio of means is another one."""
    comparisons = values.case.comparisons
    found = next((each for each in comparisons if (each.new, each.metric) == (values.arm, values.metric.key)), None)
    if found is None:
        return {}
    low, high = found.ci or (None, None)
    return {
        "placement_base": found.base,
        "placement_verdict": found.verdict,
        "placement_ratio": found.ratio,
        "placement_ratio_low": low,
        "placement_ratio_high": high,
    }


def _run(values: ArmValues, process: ProcessValue) -> dict[str, Any]:
    load: Any = next((state.get("load1") for state in process.block.state), None)
    known = isinstance(load, int | float) and load >= 0
    said = {
        "loops": process.messages,
        "placement_block": process.block.index,
        "placement_pid": process.block.pids.get(values.arm),
        "load_avg_1min": load if known else None,
    }
    run: dict[str, Any] = {"metadata": _accepted(said), "values": [process.value]}
    return {**run, "warmups": _warmups(process)} if process.warmups else run


def _warmups(process: ProcessValue) -> Sequence[Sequence[float]]:
    return [[process.messages, value] for value in process.warmups]


def _accepted(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts that pyperf accepts: finite numbers, and texts of one line that are not empty."""
    lines = {key: plain_line(value) if isinstance(value, str) else value for key, value in facts.items()}
    return {key: value for key, value in lines.items() if _is_text(value) or _is_number(value)}


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _date(started: str) -> str:
    """Return the start without its time zone, as pyperf writes and compares dates; empty if it is none."""
    try:
        return str(datetime.fromisoformat(started).replace(tzinfo=None))
    except ValueError:
        return ""
