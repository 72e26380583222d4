"""A gate's run, made of a small run: one arm of the scenario as base and as new, and flagged."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from placement_cli.store.run_document import RunDocument


@pytest.fixture
def gate(load_run_of: Callable[[str], RunDocument]) -> RunDocument:
    """A gate that failed: `sync` is slower, and was again; `async` could not fail it."""
    plain = json.loads(load_run_of("stream").to_json())
    case = plain["cases"][0]
    plain["cases"] = [_side_by_side(case, arm, gated=arm == "sync") for arm in ("async", "sync")]
    plain["says"] = []
    side = {"kind": "revision", "resolved": "0123abc", "fingerprint": "sha256:1", "stable": {}}
    plain["gate"] = {
        "verdict": "regression",
        "reason": "One case is slower.",
        "base": {"given": "v1", **side},
        "new": {"given": ".", **side},
        "differs": ["MLX 0.31.1 against 0.32.4"],
        "cases": 2,
        "compared": 1,
        "failed": [plain["cases"][1]["id"]],
    }
    return RunDocument.model_validate(plain)


def _side_by_side(case: dict[str, Any], arm: str, *, gated: bool) -> dict[str, Any]:
    again = {"ratio": 1.2, "ci": [1.16, 1.27], "n_blocks": 6, "repeated": True, "reason": "again."}
    compared = {**case["comparisons"][0], "base": "base", "new": "new", "gated": gated}
    block = case["blocks"][0]
    samples = [
        {**sample, "arm": side}
        for sample in block["samples"]
        if sample["arm"] == arm
        for side in ("base", "new", "control")
    ]
    return {
        **case,
        "id": f"{case['id']}#{arm}",
        "base": "base",
        "params": {**case["params"], "arm": arm},
        "arms": dict.fromkeys(("base", "new"), case["arms"][arm]),
        "summary": dict.fromkeys(("base", "new", "control"), case["summary"][arm]),
        "blocks": [{**block, "samples": samples}, *case["blocks"][1:]],
        "comparisons": [{**compared, "confirmation": again if gated else None}],
    }
