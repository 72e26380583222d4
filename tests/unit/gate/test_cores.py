"""Which cases keep to one core."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from placement_cli.gate.cores import ON_ONE_CORE, Cores, on_cores
from placement_cli.gate.suite import GateCase
from placement_cli.graph.pipeline import Node
from placement_cli.measure.specs import Reading

MakeGateCase = Callable[..., GateCase]


def with_host_work(each: GateCase) -> GateCase:
    """Return the case with work of the host's own behind its nodes."""
    pipeline = each.case.pipeline
    host = Node("wait", "host", (pipeline.nodes[-1].name,))
    return replace(each, case=replace(each.case, pipeline=replace(pipeline, nodes=(*pipeline.nodes, host))))


def test_a_chain_that_the_cpu_evaluates_keeps_to_one_core(make_gate_case: MakeGateCase) -> None:
    """Its time would be that of wake-ups; its id says it, since it compares with its like alone."""
    case = make_gate_case(1)
    (moved,) = on_cores([case], Cores.AUTO, on_cpu=True)
    assert moved.one_core
    assert moved.id == f"{case.id}{ON_ONE_CORE}"


def test_cases_about_overlap_and_messages_at_a_rate_keep_all_cores(make_gate_case: MakeGateCase) -> None:
    """On one core there is nothing to overlap."""
    cases = [with_host_work(make_gate_case(1)), make_gate_case(2, {"latency_s": 0.03}, reading=Reading.PACED)]
    assert on_cores(cases, Cores.AUTO, on_cpu=True) == tuple(cases)


@pytest.mark.parametrize(("cores", "on_cpu"), [(Cores.AUTO, False), (Cores.ALL, True)])
def test_a_gpu_and_a_wish_leave_all_cores(make_gate_case: MakeGateCase, cores: Cores, on_cpu: bool) -> None:
    """Nothing is changed then."""
    case = make_gate_case(1)
    assert on_cores([case], cores, on_cpu=on_cpu) == (case,)


def test_one_core_can_be_asked_for_everywhere(make_gate_case: MakeGateCase) -> None:
    """Also where cases are about overlap."""
    case = with_host_work(make_gate_case(1))
    assert all(each.one_core for each in on_cores([case], Cores.ONE, on_cpu=False))
