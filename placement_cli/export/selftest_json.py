"""A self-test as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from placement_cli.bench.harness import LIMIT, HarnessCost
from placement_cli.bench.selftest import SelfTest


def selftest_document(costs: Sequence[HarnessCost], tests: Sequence[SelfTest]) -> dict[str, Any]:
    """Return the outcome of a self-test as plain JSON values."""
    return {
        "schema": "placement.selftest",
        "schema_version": "1.0.0",
        "harness": [
            {
                "scenario": cost.scenario,
                "tool_s": cost.tool_s,
                "bare_s": cost.bare_s,
                "ratio": cost.ratio,
                "ci": cost.interval and [cost.interval.low, cost.interval.high],
                "limit": LIMIT,
                "ok": cost.ok,
            }
            for cost in costs
        ],
        "tests": [
            {
                "inject": test.inject,
                "verdicts": list(test.verdicts),
                "flagged": test.flagged.count,
                "rate": test.flagged.rate,
                "rate_ci": [test.flagged.low, test.flagged.high],
                "blocks_mean": test.blocks,
            }
            for test in tests
        ],
    }
