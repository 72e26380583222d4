"""What the tests of the store share: a complete small document, and matrices in files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from placement_cli.store.matrix_file import load_matrix
from placement_cli.store.run_document import (
    ArmSummary,
    BlockRecord,
    CaseRecord,
    Comparison,
    Diagnostic,
    Environment,
    Estimate,
    ExitRecord,
    LatencySpread,
    RunDocument,
    RunFacts,
    SampleRecord,
    Saying,
    ScenarioRecord,
    Spread,
    ToolRecord,
)

SPREAD = Spread(median=0.5, p10=0.25, p90=0.75, n=6)


def _sample(**readings: Any) -> SampleRecord:
    times = {"messages": 4, "dispatch_s": 0.25, "complete_s": 0.5, "in_flight_bytes": 100, "peak_bytes": 300}
    counters = {"active_bytes": 200, "cache_bytes": 0, "page_faults": 2}
    place = {"arm": "async", "phase": "measure", "round": 0, "at_s": 1.5}
    return SampleRecord.model_validate({**place, **times, **counters, **readings})


def _case() -> CaseRecord:
    block = BlockRecord(
        index=0,
        valid=True,
        kind="",
        reason="",
        messages=4,
        start_order=["async", "off"],
        pids={"async": 11, "off": 12},
        errors={"async": 0.01, "off": None},
        state=[{"load1": 0.5, "thermal": "nominal"}],
        samples=[_sample(), _sample(latency_s=[0.1, 0.2], missed=1, free_share=0.5)],
    )
    latency = LatencySpread(p50=0.1, p95=0.2, p99=0.2, max=0.2, n=2)
    summary = ArmSummary(
        complete_s=SPREAD, dispatch_s=SPREAD, in_flight_bytes=SPREAD, page_faults=SPREAD, latency_s=latency
    )
    comparison = Comparison(
        base="off",
        new="async",
        metric="complete_s",
        ratio=0.5,
        ci=(0.4, 0.6),
        ci_level=0.97,
        n_blocks=6,
        noise_floor=0.01,
        limit=0.03,
        same_within=0.03,
        p=0.03,
        verdict="faster",
        reason="the whole interval lies below",
    )
    return CaseRecord(
        id="s/8x3",
        scenario="s",
        reading="stream",
        params={"chunk": "8x3", "depth": 3, "share": 0.5},
        base="off",
        pipeline={"source": {}, "nodes": []},
        arms={"off": {"mode": "off"}, "async": {"mode": "async"}},
        blocks=[block],
        summary={"off": summary, "async": summary},
        comparisons=[comparison, comparison.model_copy(update={"ratio": None, "ci": None, "verdict": "invalid"})],
        estimates=[Estimate(name="price", value=None, low=None, high=None, unit="s", reason="too few blocks")],
    )


def _document(**changes: Any) -> RunDocument:
    parts: dict[str, Any] = {
        "tool": ToolRecord(name="placement", version="0.1.0"),
        "run": RunFacts(id="r", started="2020-01-01", duration_s=1.5, argv=["bench"], seed=0, complete=True),
        "env": Environment(fingerprint="sha256:0", stable={"host": {"os": "Linux"}}, harness={"timer": "t"}),
        "method": {"min_effect": 0.03, "stages": [6, 12, 20]},
        "scenarios": [ScenarioRecord(name="s", question="Why?", noise_floor=0.01, control_case=None)],
        "cases": [_case()],
        "says": [Saying(text="async is faster.", cases=["s/8x3"])],
        "exit": ExitRecord(code=0, name="ok"),
        "diagnostics": [Diagnostic(level="warning", code="c", text="t")],
    }
    return RunDocument(**{**parts, **changes})


@pytest.fixture(scope="session")
def make_document() -> Callable[..., RunDocument]:
    """The function that makes a complete document, with some parts replaced."""
    return _document


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Writes content to a file of this name and loads it as a matrix."""
    folder = tmp_path_factory.mktemp("matrices")

    def write_and_load(file_name: str, content: bytes, name: str | None = None, **options: Any) -> Any:
        (folder / file_name).write_bytes(content)
        return load_matrix(folder / file_name, name, **options)

    return write_and_load
