"""What is read of other tools' files: values in seconds, processes told from repetitions, damage with its place."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from placement_cli.comparing.foreign import google_benchmark, hyperfine, pyperf, pytest_benchmark
from placement_cli.comparing.foreign.parts import IN_PROCESS
from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.errors import UnreadableInput

FOREIGN = Path(__file__).parents[3] / "data" / "foreign"
MODULES: dict[str, Any] = {
    "pyperf": pyperf,
    "pytest_benchmark": pytest_benchmark,
    "google_benchmark": google_benchmark,
    "hyperfine": hyperfine,
}


def document(name: str) -> Any:
    """Return the sample of a tool."""
    return json.loads((FOREIGN / f"{name}.json").read_bytes())


def recorded(name: str, data: Any) -> Recorded:
    """Read a document of a tool."""
    found: Recorded = MODULES[name].recorded(data, "x", "x.json")
    return found


def by_key(run: Recorded) -> dict[tuple[str, str], Series]:
    """Return the series by case and metric."""
    return {(series.case, series.metric): series for series in run.series}


def test_pyperf_gives_a_value_a_process() -> None:
    """The medians of its runs, as pyperf itself reads them; calibration is passed over."""
    import pyperf as tool

    found = by_key(recorded("pyperf", document("pyperf")))
    suite = tool.BenchmarkSuite.load(str(FOREIGN / "pyperf.json"))
    assert {case for case, _ in found} == set(suite.get_benchmark_names())
    for benchmark in suite.get_benchmarks():
        series = found[benchmark.get_name(), "time_s"]
        processes = [median(run.values) for run in benchmark.get_runs() if run.values]
        assert series.values == pytest.approx(processes)
        assert (series.unit, series.independent, len(series.values)) == ("s", True, 6)


def test_pyperf_knows_other_units() -> None:
    """Bytes are no seconds; a unit that is not known is an error."""
    data = document("pyperf")
    data["benchmarks"][0]["metadata"]["unit"] = "byte"
    assert recorded("pyperf", data).series[0].metric == "size_bytes"
    data["benchmarks"][0]["metadata"]["unit"] = "parsec"
    with pytest.raises(UnreadableInput, match=r"x\.json: benchmarks\.0: unit 'parsec' is none of second"):
        recorded("pyperf", data)


def test_hyperfine_gives_a_value_a_process() -> None:
    """Each time is that of a command started anew, and memory is a series of its own."""
    run = recorded("hyperfine", document("hyperfine"))
    time, memory = run.series[:2]
    assert (time.values[0], time.unit, len(time.values), time.independent) == (0.1021, "s", 8, True)
    assert (memory.metric, memory.unit, memory.values[0]) == ("peak_bytes", "bytes", 4194304)
    assert time.params == {"threads": "1"}
    assert "taken on trust" in run.notes[0]


def test_google_benchmark_gives_repetitions_in_seconds() -> None:
    """Aggregates stand in only where repetitions are missing, and what failed is named."""
    run = recorded("google_benchmark", document("google_benchmark"))
    found = by_key(run)
    assert found["BM_Sort/1024", "real_time_s"].values == pytest.approx([34.1e-6, 34.4e-6, 33.9e-6, 34.2e-6, 34.0e-6])
    assert found["BM_Empty", "cpu_time_s"].values == pytest.approx([1.5e-9])
    assert not any(series.independent for series in run.series)
    assert run.notes == (IN_PROCESS, "Left out, as they failed or were skipped: BM_Open.")


def test_pytest_benchmark_gives_rounds() -> None:
    """Or the median where a file was saved without them; neither are independent processes."""
    data = document("pytest_benchmark")
    run = recorded("pytest_benchmark", data)
    assert [len(series.values) for series in run.series] == [12, 12]
    for benchmark in data["benchmarks"]:
        del benchmark["stats"]["data"]
    saved = recorded("pytest_benchmark", data)
    assert [series.values for series in saved.series] == [(pytest.approx(median(s.values)),) for s in run.series]
    assert not any(series.independent for series in saved.series)


@pytest.mark.parametrize(
    ("name", "path", "value", "message"),
    [
        ("pyperf", ("version",), "2.0", "version: Input should be '1.0'"),
        ("pyperf", ("benchmarks", 0, "metadata", "name"), 5, "benchmarks.0: the name of the benchmark is missing"),
        ("pyperf", ("benchmarks", 0, "runs", 1, "values", 0), -1.0, r"runs\.1\.values\.0: Input should be greater"),
        ("pyperf", ("benchmarks", 0, "runs", 1, "values", 0), "1", r"values\.0: Input should be a valid number"),
        ("pyperf", ("benchmarks", 0, "runs", 1, "values"), [1e50], "nothing that can have been measured"),
        ("pyperf", ("benchmarks",), [], "holds no values"),
        ("hyperfine", ("results", 0, "times", 1), True, r"results\.0\.times\.1"),
        ("hyperfine", ("results", 0, "command"), "", r"results\.0\.command"),
        ("hyperfine", ("results",), [], "holds no values"),
        ("google_benchmark", ("benchmarks", 0, "time_unit"), "h", r"benchmarks\.0\.time_unit"),
        ("google_benchmark", ("benchmarks", 0, "real_time"), -3, r"benchmarks\.0\.real_time"),
        ("google_benchmark", ("benchmarks",), [], "holds no values"),
        ("pytest_benchmark", ("benchmarks", 0, "stats"), None, r"benchmarks\.0\.stats"),
        ("pytest_benchmark", ("benchmarks", 0, "stats", "data"), [1e-40], "nothing that can have been measured"),
        ("pytest_benchmark", ("benchmarks",), [], "holds no values"),
    ],
)
def test_damage_is_told_with_its_place(name: str, path: tuple[str | int, ...], value: Any, message: str) -> None:
    """Newer versions, missing names, negative and impossible values, files without any."""
    data = copy.deepcopy(document(name))
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(UnreadableInput, match=rf"x\.json.*{message}"):
        recorded(name, data)


@pytest.mark.parametrize("name", MODULES)
def test_each_format_is_recognised_alone(name: str) -> None:
    """No sample is taken for that of another tool by the reader that is asked first."""
    order = ["pytest_benchmark", "google_benchmark", "pyperf", "hyperfine"]
    assert next(each for each in order if MODULES[each].recognised(document(name))) == name


@pytest.mark.parametrize("unit", [[], {}, ["second"], None, 5, True, "hour"])
def test_a_unit_that_is_none_is_refused(unit: Any) -> None:
    """Whatever stands in its place: pyperf's metadata may hold anything."""
    data = document("pyperf")
    data["metadata"]["unit"] = unit
    for benchmark in data["benchmarks"]:
        benchmark.setdefault("metadata", {})["unit"] = unit
    with pytest.raises(UnreadableInput, match=r"benchmarks\.0: unit .* is none of second, byte, integer"):
        recorded("pyperf", data)
