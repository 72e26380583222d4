"""Cases of documents, as sentences are made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from placement_cli.store.run_document import (
    ArmSummary,
    BlockRecord,
    CaseRecord,
    Comparison,
    Estimate,
    LatencySpread,
    SampleRecord,
    Spread,
)

ARMS: dict[str, dict[str, Any]] = {
    "async": {"mode": "async", "sites": ["last"]},
    "sync": {"mode": "sync", "sites": ["last"]},
    "async@every-node": {"mode": "async", "sites": ["n0", "last"]},
    "window:4": {"mode": "window:4", "sites": ["last"]},
    "off": {"mode": "off", "sites": []},
}


@pytest.fixture
def make_comparison() -> Callable[..., Comparison]:
    """Makes a comparison with the base `async`."""

    def make(new: str = "sync", verdict: str = "slower", metric: str = "complete_s", **changes: Any) -> Comparison:
        told: dict[str, Any] = {
            "base": "async",
            "new": new,
            "metric": metric,
            "ratio": 1.4,
            "ci": (1.3, 1.5),
            "ci_level": 0.97,
            "n_blocks": 12,
            "noise_floor": 0.01,
            "limit": 0.05,
            "same_within": 0.03,
            "p": 0.01,
            "verdict": verdict,
            "reason": "because.",
        }
        return Comparison.model_validate({**told, **changes})

    return make


@pytest.fixture
def make_record() -> Callable[..., CaseRecord]:
    """Makes a case of a document; `arms` are names of `ARMS`, or arms themselves."""

    def make(
        comparisons: Sequence[Comparison] = (),
        params: Mapping[str, Any] | None = None,
        *,
        reading: str = "stream",
        arms: Sequence[str] = ("async", "sync"),
        estimates: Sequence[Estimate] = (),
        summary: Mapping[str, ArmSummary] | None = None,
        blocks: Sequence[BlockRecord] = (),
        nodes: Sequence[Mapping[str, Any]] = ({"name": "last", "op": "abs"},),
    ) -> CaseRecord:
        named = {name: {"name": name, "state": False, "values": False, **ARMS[name]} for name in arms}
        shown = dict(params or {})
        return CaseRecord(
            id=f"s[{','.join(f'{key}={value}' for key, value in shown.items())}]",
            scenario="s",
            reading=reading,
            params=shown,
            base=arms[0],
            pipeline={"nodes": [dict(node) for node in nodes]},
            arms=named,
            blocks=list(blocks),
            summary=dict(summary or {}),
            comparisons=list(comparisons),
            estimates=list(estimates),
        )

    return make


@pytest.fixture
def make_summary() -> Callable[..., ArmSummary]:
    """Makes the summary of an arm; every message took 2 ms, 1 ms of it on the host."""

    def make(**changes: Any) -> ArmSummary:
        taken = {"complete_s": spread(2e-3), "dispatch_s": spread(1e-3), "in_flight_bytes": spread(1024)}
        latency = LatencySpread(p50=1e-3, p95=2e-3, p99=3e-3, max=4e-3, n=100)
        return ArmSummary.model_validate({**taken, "page_faults": spread(0), "latency_s": latency, **changes})

    return make


def spread(value: float) -> Spread:
    """A spread all of whose values are the same."""
    return Spread(median=value, p10=value, p90=value, n=36)


@pytest.fixture
def make_spread() -> Callable[[float], Spread]:
    """Makes a spread all of whose values are the same."""
    return spread


@pytest.fixture
def make_block() -> Callable[..., BlockRecord]:
    """Makes a block of a document."""

    def make(index: int = 0, kind: str = "", reason: str = "", samples: Sequence[SampleRecord] = ()) -> BlockRecord:
        valid = kind not in ("crash", "disagreement")
        return BlockRecord(
            index=index, valid=valid, kind=kind, reason=reason, messages=64, start_order=[], pids={}, errors={},
            state=[], samples=list(samples),
        )  # fmt: skip

    return make
