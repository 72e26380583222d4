"""Small runs to export."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from placement_cli.errors import EXIT_NAMES
from placement_cli.store.run_document import RunDocument

HOSTILE = (
    "a\nb",
    "<script>alert(1)</script>",
    "=cmd()",
    "::error::x",
    "\U0001f600",
    "x" * 5_000,
    "\x00\x1b[31m",
    "a,b|c\"d'",
)
"""Names that steer what reads them, where they are not taken as data."""


SAME = {
    "name": "chain[size=1]",
    "scenario": "chain",
    "base_s": (1e-3,) * 6,
    "new_s": (1e-3,) * 6,
    "verdict": "same",
    "ratio": 1.0,
    "gated": True,
    "repeated": None,
    "reason": "as measured.",
}
"""One case of a made-up gate: seconds of each block for either side, one a process, and what came of it."""

EXITS = {
    "passed": 0,
    "regression": 1,
    "inconclusive": 0,
    "nothing-comparable": 4,
    "invalid": 5,
    "scenario-failed": 6,
}
"""The exit code of a gate that nothing cut short, by its verdict."""

MakeGate = Callable[..., RunDocument]


@pytest.fixture
def renamed(load_run_of: Callable[[str], RunDocument]) -> Callable[[str], RunDocument]:
    """A run in which everything that has a name of its own has this one."""

    def rename(name: str) -> RunDocument:
        plain = json.loads(load_run_of("burst").to_json())
        for scenario in plain["scenarios"]:
            scenario.update(name=name, question=name)
        for number, case in enumerate(plain["cases"]):
            case.update(id=f"{name}{number}", scenario=name, params={"key": name, "ops": number}, base=name)
            case["arms"] = {name: {**case["arms"]["off"], "name": name, "mode": name}}
            case["summary"] = {name: case["summary"]["off"]}
            case["comparisons"] = []
            for block in case["blocks"]:
                block["samples"] = [{**sample, "arm": name} for sample in block["samples"] if sample["arm"] == "off"]
        plain["says"] = [{"text": name, "cases": [case["id"] for case in plain["cases"]]}]
        plain["diagnostics"] = [{"level": "error", "code": "x", "text": name}]
        return RunDocument.model_validate(plain)

    return rename


@pytest.fixture(params=HOSTILE, ids=range(len(HOSTILE)))
def hostile(request: pytest.FixtureRequest) -> str:
    """Each of the hostile names."""
    name: str = request.param
    return name


@pytest.fixture
def make_gate(load_run_of: Callable[[str], RunDocument]) -> MakeGate:
    """Makes the document of a gate: its verdict, and of each case how it is not `SAME`."""
    plain = json.loads(load_run_of("stream").to_json())

    def make(
        verdict: str, *changes: dict[str, Any], failed: Sequence[str] = (), code: int | None = None
    ) -> RunDocument:
        code = EXITS[verdict] if code is None else code
        cases = [SAME | change for change in changes]
        side = {"kind": "revision", "fingerprint": plain["env"]["fingerprint"], "stable": plain["env"]["stable"]}
        base = {**side, "given": "main", "resolved": "0123456789abcdef"}
        new = {**side, "given": ".", "resolved": "fedcba9876543210", "fingerprint": "sha256:new"}
        names = dict.fromkeys(case["scenario"] for case in cases)
        scenario = {"question": "Is it slower?", "noise_floor": 0.01, "control_case": None}
        gate = {"verdict": verdict, "reason": f"It is {verdict}.", "base": base, "new": new, "differs": ["mlx"]}
        counts = {"cases": len(cases), "compared": sum(case["gated"] for case in cases), "failed": list(failed)}
        return RunDocument.model_validate(
            plain
            | {"scenarios": [scenario | {"name": name} for name in names], "says": [], "diagnostics": []}
            | {"cases": [_gate_case(plain["cases"][0], case) for case in cases], "gate": gate | counts}
            | {"exit": {"code": code, "name": EXIT_NAMES[code]}}
        )

    return make


def _gate_case(example: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    sample = example["blocks"][0]["samples"][0]
    sides = {"base": case["base_s"], "new": case["new_s"]}
    blocks = [
        example["blocks"][0]
        | {"index": number, "pids": {"base": 10 + number, "new": 50 + number}}
        | {
            "samples": [
                _gate_sample(sample, arm, phase, seconds[number])
                for arm, seconds in sides.items()
                for phase in ("warmup", "measure", "measure")
            ]
        }
        for number in range(len(case["base_s"]))
    ]
    summary = example["summary"]["async"]
    width = 1.1 if case["verdict"] == "inconclusive" else 1.01
    comparison = example["comparisons"][0] | {
        "base": "base",
        "new": "new",
        "verdict": case["verdict"],
        "ratio": case["ratio"],
        "ci": case["ratio"] and [(2 - width) * case["ratio"], width * case["ratio"]],
        "reason": case["reason"],
        "gated": case["gated"],
        "confirmation": None
        if case["repeated"] is None
        else {"ratio": case["ratio"], "ci": None, "n_blocks": 6, "repeated": case["repeated"], "reason": "seen again."},
    }
    arms = {arm: example["arms"]["async"] | {"name": arm} for arm in sides}
    changes = {"id": case["name"], "scenario": case["scenario"], "params": {"arm": "async"}, "base": "base"}
    measured = {"arms": arms, "blocks": blocks, "summary": dict.fromkeys(sides, summary), "comparisons": [comparison]}
    return example | changes | measured


def _gate_sample(sample: dict[str, Any], arm: str, phase: str, seconds: float) -> dict[str, Any]:
    """One sample that took `seconds` a message."""
    return sample | {"arm": arm, "phase": phase, "messages": 4, "complete_s": 4 * seconds, "dispatch_s": seconds}
