"""A run for Bencher, github-action-benchmark, Google Benchmark and Otava: in the forms they document."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from placement_cli.bench.metrics import METRICS
from placement_cli.errors import NothingComparable
from placement_cli.export.plain_names import plain_line
from placement_cli.export.process_values import arm_values
from placement_cli.export.run_bencher import MEASURES, run_bencher
from placement_cli.export.run_github_benchmark import run_github_benchmark
from placement_cli.export.run_google_benchmark import run_google_benchmark
from placement_cli.export.run_otava import run_otava
from placement_cli.store.run_document import RunDocument

MakeGate = Callable[..., RunDocument]
NUMBER = {"type": "number"}
NAME = {"type": "string", "minLength": 1, "maxLength": 1024}
BENCHER = {
    "type": "object",
    "propertyNames": NAME,
    "additionalProperties": {
        "type": "object",
        "propertyNames": {"pattern": "^[a-z0-9-]+$", "maxLength": 64},
        "additionalProperties": {
            "type": "object",
            "required": ["value"],
            "properties": {"value": NUMBER, "lower_value": NUMBER, "upper_value": NUMBER},
            "additionalProperties": False,
        },
    },
}
GITHUB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["name", "unit", "value"],
        "properties": {
            "name": NAME,
            "unit": {"type": "string"},
            "value": NUMBER,
            "range": {"type": "string"},
            "extra": {"type": "string"},
        },
        "additionalProperties": False,
    },
}
GOOGLE = {
    "type": "object",
    "required": ["context", "benchmarks"],
    "properties": {
        "context": {
            "type": "object",
            "required": ["date", "host_name", "executable", "library_build_type", "json_schema_version"],
            "properties": {"json_schema_version": {"const": 1}, "num_cpus": {"type": "integer"}},
        },
        "benchmarks": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "run_name", "run_type", "threads", "iterations", "real_time", "cpu_time"],
                "properties": {
                    "name": NAME,
                    "run_type": {"enum": ["iteration", "aggregate"]},
                    "iterations": {"type": "integer", "minimum": 1},
                    "repetitions": {"type": "integer", "minimum": 1},
                    "real_time": {"type": "number", "exclusiveMinimum": 0},
                    "cpu_time": {"type": "number", "minimum": 0},
                    "time_unit": {"enum": ["ns", "us", "ms", "s"]},
                    "aggregate_name": {"type": "string"},
                },
                "if": {"properties": {"run_type": {"const": "iteration"}}},
                "then": {"required": ["repetition_index"]},
                "else": {"required": ["aggregate_name"]},
            },
        },
    },
}
JSON_FORMS: list[tuple[Callable[[RunDocument], str], Any]] = [
    (run_bencher, BENCHER),
    (run_github_benchmark, GITHUB),
    (run_google_benchmark, GOOGLE),
]


def strictly(text: str) -> Any:
    """Parse JSON without NaN and Infinity."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize(("write", "schema"), JSON_FORMS)
def test_runs_have_the_documented_form(write: Callable[[RunDocument], str], schema: Any, document: RunDocument) -> None:
    """Of every reading, and never empty: what holds no time is nothing for a format of times."""
    if write is run_google_benchmark and not any(values.metric.unit == "s" for values in arm_values(document)):
        with pytest.raises(NothingComparable, match="gbench would be empty"):
            write(document)
        return
    data = strictly(write(document))
    jsonschema.validate(data, schema)
    assert data


@pytest.mark.parametrize(("write", "schema"), JSON_FORMS)
def test_any_name_keeps_the_form(
    write: Callable[[RunDocument], str], schema: Any, renamed: Callable[[str], RunDocument], hostile: str
) -> None:
    """Names are short lines, and no two are alike."""
    data = strictly(write(renamed(hostile)))
    jsonschema.validate(data, schema)
    rows = data if isinstance(data, list) else data.get("benchmarks", list(data))
    names = [row if isinstance(row, str) else row["name"] for row in rows]
    assert len(set(names)) == (2 if write is run_bencher else 4 if write is run_github_benchmark else 8)
    assert all(name.isprintable() for name in names)


def test_every_metric_is_a_measure_of_bencher() -> None:
    """None is written under the name it has here."""
    assert {metric.key for metrics in METRICS.values() for metric in metrics} == set(MEASURES)


def test_bencher_has_nanoseconds_and_intervals(make_gate: MakeGate) -> None:
    """The median of the processes and its exact interval; what cannot fail a gate is never alerted on."""
    document = make_gate("passed", {"new_s": [n * 1e-3 for n in range(1, 7)]}, {"name": "b", "gated": False})
    data = strictly(run_bencher(document, "new"))
    assert list(data) == ["chain[size=1]", "b_bencher_ignore"]
    assert data["chain[size=1]"]["latency"] == pytest.approx({"value": 3.5e6, "lower_value": 1e6, "upper_value": 6e6})
    assert data["chain[size=1]"]["in-flight-memory"]["value"] >= 4096


def test_github_benchmark_has_a_range(make_gate: MakeGate) -> None:
    """How far the interval reaches from the median, in percent."""
    entry = strictly(run_github_benchmark(make_gate("passed", {"new_s": [n * 1e-3 for n in range(1, 7)]}), "new"))[0]
    assert entry["name"] == "chain[size=1] complete_s"
    assert (entry["value"], entry["unit"], entry["range"]) == (pytest.approx(3.5e6), "ns", "± 71.4 %")
    assert entry["extra"].splitlines()[0] == "time per message, median over 6 processes"


def test_google_benchmark_has_a_repetition_a_process(make_gate: MakeGate) -> None:
    """Times of one message in nanoseconds, and their median at the end."""
    rows = strictly(run_google_benchmark(make_gate("passed", {"new_s": [n * 1e-3 for n in range(1, 7)]}), "new"))[
        "benchmarks"
    ]
    assert [row["real_time"] for row in rows] == pytest.approx([1e6, 2e6, 3e6, 4e6, 5e6, 6e6, 3.5e6])
    assert [row["cpu_time"] for row in rows[:2]] == pytest.approx([2.5e5, 5e5])
    assert [row.get("repetition_index") for row in rows] == [0, 1, 2, 3, 4, 5, None]
    assert {row["iterations"] for row in rows[:-1]} == {4}
    assert rows[-1]["name"] == "chain[size=1] complete_s_median"


def test_otava_has_one_row_of_numbers(document: RunDocument) -> None:
    """Otava takes no empty cell among the metrics, and a time with its zone."""
    head, row = csv.reader(io.StringIO(run_otava(document), newline=""))
    assert head[:4] == ["time", "commit", "run", "fingerprint"]
    assert row[0] == document.run.started
    assert row[1] == ""
    assert len(head) == len(row) > 4
    assert all(float(cell) > 0 for cell in row[4:])


def test_otava_knows_the_commit_of_a_gate(make_gate: MakeGate) -> None:
    """Of the side that is written, the new one without any."""
    rows = [run_otava(make_gate("passed", {}), arm).splitlines()[1].split(",") for arm in (None, "base", "new")]
    assert [row[1] for row in rows] == ["fedcba9876543210", "0123456789abcdef", "fedcba9876543210"]


def test_no_heading_of_otava_is_a_formula(renamed: Callable[[str], RunDocument], hostile: str) -> None:
    """Whatever a case is called, and it stays one line."""
    head, row = csv.reader(io.StringIO(run_otava(renamed(hostile)), newline=""))
    assert len(head) == len(set(head)) == len(row) == 8
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in head)
    assert plain_line(hostile)[:20] in head[4]
