"""A run as pyperf reads it: read by pyperf itself."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from math import exp
from pathlib import Path
from statistics import median

import pyperf
import pytest

from placement_cli.export.run_pyperf import run_pyperf
from placement_cli.statistics.pairing import block_log_ratio
from placement_cli.store.run_document import RunDocument

MakeGate = Callable[..., RunDocument]
NAME = "chain[size=1] complete_s"
BLOCKS = 20
TRACES = Path(__file__).parents[2] / "data" / "aa-traces"


def compared(folder: Path, document: RunDocument) -> str:
    """What `pyperf compare_to` prints of the two sides of a gate."""
    for arm in ("base", "new"):
        (folder / f"{arm}.json").write_text(run_pyperf(document, arm), encoding="utf-8")
    command = [sys.executable, "-m", "pyperf", "compare_to", "base.json", "new.json"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def with_latencies(document: RunDocument) -> RunDocument:
    """The run with a latency in every sample, which the small runs leave out."""
    data = json.loads(document.to_json())
    for sample in (sample for case in data["cases"] for block in case["blocks"] for sample in block["samples"]):
        sample["latency_s"] = [sample["complete_s"]]
    return RunDocument.model_validate(data)


def ratio(document: RunDocument, benchmark: str) -> float:
    """The ratio that pyperf makes of two sides: of their means."""
    base, new = (pyperf.BenchmarkSuite.loads(run_pyperf(document, arm)) for arm in ("base", "new"))
    means: list[float] = [suite.get_benchmark(benchmark).mean() for suite in (base, new)]
    return means[1] / means[0]


def test_pyperf_reads_every_run(document: RunDocument) -> None:
    """Values of one message, as many in every run, with unit and facts in pyperf's words."""
    suite = pyperf.BenchmarkSuite.loads(run_pyperf(with_latencies(document)))
    assert suite.get_metadata()["cpu_model_name"] == "Example M1"
    for benchmark in suite:
        assert benchmark.get_unit() in ("second", "byte")
        assert {len(run.values) for run in benchmark.get_runs()} == {1}
        assert str(benchmark.get_dates()[0]) == "2026-01-01 00:00:00"


def test_values_loops_and_warmups_are_those_measured(make_gate: MakeGate) -> None:
    """A run a block; loops are the messages of a sample."""
    suite = pyperf.BenchmarkSuite.loads(
        run_pyperf(make_gate("passed", {"new_s": (1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3)}))
    )
    benchmark = suite.get_benchmark("chain[size=1] new complete_s")
    assert benchmark.get_values() == pytest.approx((1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3))
    assert benchmark.get_loops() == 4
    assert [run.warmups[0][1] for run in benchmark.get_runs()] == pytest.approx(benchmark.get_values())


def test_compare_to_gives_the_ratio_of_constant_sides(tmp_path: Path, make_gate: MakeGate) -> None:
    """To the digits that it prints; and the two sides name their benchmarks alike."""
    document = make_gate("regression", {"new_s": (1.37e-3,) * 6, "verdict": "slower", "ratio": 1.37})
    printed = compared(tmp_path, document)
    assert "1.00 ms +- 0.00 ms -> [new] 1.37 ms +- 0.00 ms: 1.37x slower" in printed
    assert ratio(document, NAME) == pytest.approx(1.37)


@pytest.mark.parametrize("name", ["idle", "busy"])
def test_a_recorded_slowdown_is_near_ours(make_gate: MakeGate, name: str) -> None:
    """On recorded blocks pyperf's ratio is within 2 % of ours as a rule, not always: means follow bursts.

    The ratio of the run itself is in the metadata, to the last digit.
    """
    pairs = json.loads((TRACES / f"{name}.json").read_text())["pairs"]
    apart: list[float] = []
    for first in range(0, len(pairs) - BLOCKS, 4 * BLOCKS):
        a, b = ([row[side] for row in pairs[first : first + BLOCKS]] for side in "ab")
        ours = exp(
            median(block_log_ratio(base, [1.3 * value for value in new]) for base, new in zip(a, b, strict=True))
        )
        sides = {"base_s": [1e-9 * median(row) for row in a], "new_s": [1.3e-9 * median(row) for row in b]}
        document = make_gate("regression", sides | {"verdict": "slower", "ratio": ours})
        suite = pyperf.BenchmarkSuite.loads(run_pyperf(document, "new"))
        assert suite.get_benchmark(NAME).get_metadata()["placement_ratio"] == ours
        apart.append(abs(ratio(document, NAME) / ours - 1))
    assert len(apart) > 10
    assert median(apart) < 0.02


def test_both_sides_carry_their_own_facts(make_gate: MakeGate) -> None:
    """The fingerprint is that of the side."""
    document = make_gate("passed", {})
    prints = [json.loads(run_pyperf(document, arm))["metadata"]["placement_fingerprint"] for arm in ("base", "new")]
    assert prints == [document.env.fingerprint, "sha256:new"]


def test_scenarios_are_tags_where_there_are_several(make_gate: MakeGate) -> None:
    """pyperf repeats its tables for each tag; it refuses to read some, which are left out."""
    several = make_gate("passed", {"name": "a"}, {"name": "b", "scenario": "fan"}, {"name": "c", "scenario": "all"})
    suites = [pyperf.BenchmarkSuite.loads(run_pyperf(each, "new")) for each in (several, make_gate("passed", {}))]
    tags = [[bench.get_metadata().get("tags") for bench in suite][::2] for suite in suites]
    assert tags == [[["chain"], ["fan"], None], [None]]


def test_any_name_is_read(renamed: Callable[[str], RunDocument], hostile: str) -> None:
    """pyperf refuses names of several lines and names that are alike: it gets neither."""
    suite = pyperf.BenchmarkSuite.loads(run_pyperf(renamed(hostile)))
    assert len(suite) == len(set(suite.get_benchmark_names())) == 4


def test_facts_that_pyperf_refuses_are_left_out(load_run_of: Callable[[str], RunDocument]) -> None:
    """What is empty, no number and no text, or not finite."""
    document = load_run_of("burst")
    stable = {"chip": " \n ", "cpu_logical": float("nan"), "python": ["CPython"], "mlx": {"a": 1}}
    env = document.env.model_copy(update={"stable": stable})
    run = document.run.model_copy(update={"started": "yesterday"})
    text = run_pyperf(document.model_copy(update={"env": env, "run": run}))
    metadata = pyperf.BenchmarkSuite.loads(text).get_metadata()
    assert not {"cpu_model_name", "cpu_count", "mlx_version", "date"} & set(metadata)
