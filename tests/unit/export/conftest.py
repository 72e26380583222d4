"""Small runs to export."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from placement_cli.store.run_document import RunDocument


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
