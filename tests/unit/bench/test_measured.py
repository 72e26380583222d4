"""What each arm was measured at, read off the document of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from placement_cli.bench.measured import measured_from
from placement_cli.bench.run import ScenarioPlan
from placement_cli.bench.session import Request
from placement_cli.measure.specs import Case, Reading

MakeCase = Callable[..., Case]
Start = Callable[[Case], Any]
SAME = {"chain[]": {"tail": "sync"}}


@pytest.fixture
def start(engine: Any, make_plan: Callable[..., ScenarioPlan], make_request: Callable[..., Request]) -> Start:
    """Runs one case to the end of its six blocks."""
    return lambda case: engine.start(make_request(make_plan(case), stages=(6,)))


def test_each_arm_has_what_a_message_takes_and_its_verdict(engine: Any, make_case: MakeCase, start: Start) -> None:
    """Time, host time and bytes with intervals over blocks; the ratio and the verdict of all but the base."""
    engine.cost["sync"], engine.bytes_by_arm["sync"], engine.noise = 1.5, 2**20, 0.001
    base, sync = measured_from(start(make_case(("async", "sync"))))

    assert base.period_s.low is not None
    assert base.period_s.low <= base.period_s.value == pytest.approx(1e-3, rel=0.01)
    assert sync.period_s.value == pytest.approx(1.5e-3, rel=0.01)
    assert sync.host_s.value == pytest.approx(0.75e-3, rel=0.01)
    assert sync.in_flight_bytes.value == 2**20
    assert (base.name, base.ratio, base.verdict, base.latency_s) == ("async", None, "", None)
    assert sync.ratio is not None
    assert sync.ratio.low is not None
    assert sync.ratio.low <= sync.ratio.value == pytest.approx(1.5, rel=0.01)
    assert (sync.verdict, bool(sync.reason)) == ("slower", True)


def test_an_arm_that_was_left_out_has_the_numbers_of_its_twin(make_case: MakeCase, start: Start) -> None:
    """It says whose they are."""
    _, sync, tail = measured_from(start(make_case(("async", "sync"))), SAME)
    assert tail == replace(sync, name="tail", same_as="sync")


@pytest.mark.parametrize(("params", "period_s"), [({"rate": 200}, 1 / 200), ({}, 1e-3)])
def test_a_live_source_has_latency_and_its_own_period(
    make_case: MakeCase, start: Start, params: dict[str, Any], period_s: float
) -> None:
    """No message comes sooner than the source sends it, where that is known; the host is held while it is not free."""
    base, sync = measured_from(start(make_case(("async", "sync"), reading=Reading.PACED, **params)))
    assert base.period_s.value == pytest.approx(period_s)
    assert base.host_s.value == pytest.approx(0.25 * period_s)
    assert base.latency_s is not None
    assert base.latency_p95_s is not None
    assert 1e-3 < base.latency_s.value < base.latency_p95_s.value
    assert sync.ratio is not None
    assert sync.ratio.value == pytest.approx(1.0)


def test_what_was_not_measured_is_missing(engine: Any, make_case: MakeCase, start: Start) -> None:
    """A run that was stopped before its first block has no numbers, nor has an arm that stands for another."""
    engine.interrupt_at = 0
    assert measured_from(start(make_case(("async", "sync"))), SAME) == ()


def test_few_blocks_have_no_interval(engine: Any, make_case: MakeCase, start: Start) -> None:
    """A median is there all the same."""
    engine.interrupt_at = 1
    found = measured_from(start(make_case(("async", "sync"))))
    assert [(arm.name, arm.period_s.low, arm.period_s.high) for arm in found] == [
        ("async", None, None),
        ("sync", None, None),
    ]
