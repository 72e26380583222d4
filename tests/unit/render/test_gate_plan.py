"""What a gate would measure, before it does."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import pytest
from rich.cells import cell_len
from rich.console import Group
from syrupy.assertion import SnapshotAssertion

from placement_cli.bench.duration import ScenarioDuration
from placement_cli.gate.suite import GateCase
from placement_cli.measure.specs import Case, Reading
from placement_cli.render.gate_plan import gate_plan

Plan = Callable[..., str]
BOTH = {"complete_s": 0.05, "in_flight_bytes": 0.1}


@pytest.fixture
def plan(make_case: Callable[..., Case], printed: Callable[..., str]) -> Plan:
    """Prints the plan of cases, each by its name with its limits."""

    def show(cases: Mapping[str, Mapping[str, float]], width: int = 80, reading: Reading = Reading.STREAM) -> str:
        found = [GateCase(make_case(("async",), reading=reading, scenario=name), each) for name, each in cases.items()]
        return printed(Group(*gate_plan(found, ScenarioDuration("gate", len(found), 3, 42.0, 160.0))), width)

    return show


@pytest.mark.parametrize("width", [120, 80, 40])
def test_what_is_printed(width: int, plan: Plan, snapshot: SnapshotAssertion) -> None:
    """A plan is printed as it was looked at and found good."""
    assert plan({"chunk-size": BOTH, "memory": {"in_flight_bytes": 0.1}}, width) == snapshot


def test_what_cannot_fail_is_off(plan: Plan) -> None:
    """Each metric of a case is there, with its limit as people write it."""
    text = plan({"paced": {"latency_s": 0.055}}, 120, Reading.PACED)
    assert "latency p50 +5.5%, latency p95 off, host busy off" in text


def test_one_case_is_one_case(plan: Plan) -> None:
    """And about how long it takes, from where nothing changed to where everything did."""
    assert "1 case; about 42.0 s where nothing changed, 2 min 40 s at most" in re.sub(r"\s+", " ", plan({"a": BOTH}))


@pytest.mark.parametrize("width", [120, 40])
def test_names_are_data(width: int, hostile: str, plan: Plan) -> None:
    """Nothing in a name is interpreted, and none breaks the width."""
    text = plan({hostile: BOTH}, width)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]", text)
    assert max(map(cell_len, text.splitlines())) <= width
    bare = re.sub(r"[\s\x00-\x1f\u2028\u202e]", "", hostile)
    assert bare in re.sub(r"\s|\N{REPLACEMENT CHARACTER}", "", text)
