"""Quantities beyond ratios: stalls, prices, shares, growth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import pytest

from placement_cli.bench.estimates import case_estimates, scenario_estimates
from placement_cli.bench.run import ScenarioPlan
from placement_cli.bench.session import Request
from placement_cli.graph.pipeline import Node
from placement_cli.measure.blocks import CaseBlock, TakenSample
from placement_cli.measure.sample import Sample
from placement_cli.measure.specs import Case, Reading
from placement_cli.measure.units import device_ops
from placement_cli.store.run_document import Estimate

MakeCase = Callable[..., Case]


def blocks_of(case: Case, samples: Sequence[Sample]) -> list[CaseBlock]:
    """One block for each sample; every arm of the case took it twice."""
    return [
        CaseBlock(
            case.id,
            index,
            sample.messages,
            tuple(TakenSample(arm.name, "measure", n, 0.0, sample) for arm in case.arms for n in range(2)),
            {arm.name: 1 for arm in case.arms},
            tuple(arm.name for arm in case.arms),
        )
        for index, sample in enumerate(samples)
    ]


def by_name(estimates: Sequence[Estimate]) -> dict[str, Estimate]:
    """Estimates by their name."""
    return {estimate.name: estimate for estimate in estimates}


def stalls(case: Case, calls: Sequence[int]) -> dict[str, Estimate]:
    """What blocks with these stall calls come to."""
    return by_name(case_estimates(case, blocks_of(case, [Sample(64, 1.0, 1.0, stall_call=call) for call in calls])))


def test_the_stall_is_a_call_and_the_ops_outstanding(make_case: MakeCase) -> None:
    """The median call over blocks with its interval, and the ops submitted until then."""
    case = make_case(("async",), reading=Reading.QUEUE, ops=3)
    found = stalls(case, [36, 37, 37, 37, 38, 38])
    call, ops = found["stall_call[async]"], found["stall_ops[async]"]
    assert (call.value, call.low, call.high, call.unit, call.reason) == (37, 36, 38, "calls", None)
    assert (ops.value, ops.low, ops.high, ops.unit) == (3 * 37, 3 * 36, 3 * 38, "ops")


def test_nothing_that_stalls_has_no_number(make_case: MakeCase) -> None:
    """Where no call blocked there is no call to name, and the reason says how many were tried."""
    found = stalls(make_case(("async",), reading=Reading.QUEUE), [0] * 6)
    assert found.keys() == {"stall_call[async]"}
    call = found["stall_call[async]"]
    assert (call.value, call.low, call.high) == (None, None, None)
    assert call.reason == "no call of 64 messages blocked"


def test_a_stall_in_half_of_the_blocks_has_no_number(make_case: MakeCase) -> None:
    """Where as many blocks ran free as stalled no call is named, and that some stalled is not hidden."""
    call = stalls(make_case(("async",), reading=Reading.QUEUE), [0, 0, 0, 37, 37, 37])["stall_call[async]"]
    assert call.value is None
    assert call.reason == "no call of 64 messages blocked in 3 of 6 blocks"


def test_a_block_without_a_stall_is_told_beside_the_number(make_case: MakeCase) -> None:
    """One block that ran free does not hide where the others stalled, nor is it counted as call 0."""
    found = stalls(make_case(("async",), reading=Reading.QUEUE), [0, 36, 37, 37, 37, 38, 38])
    call = found["stall_call[async]"]
    assert (call.value, call.low) == (37, 36)
    assert call.reason == "no call blocked in 1 of 7 blocks"
    assert found["stall_ops[async]"].reason == call.reason


def test_every_arm_has_its_own_stall(make_case: MakeCase) -> None:
    """Two arms of a queue do not overwrite each other."""
    case = make_case(("async", "window:1"), reading=Reading.QUEUE)
    assert {"stall_call[async]", "stall_call[window:1]"} <= stalls(case, [5] * 6).keys()


def test_few_blocks_have_no_interval(make_case: MakeCase) -> None:
    """A number without an interval says why it has none."""
    call = stalls(make_case(("async",), reading=Reading.QUEUE), [37] * 3)["stall_call[async]"]
    assert (call.value, call.low, call.high) == (37, None, None)
    assert call.reason == "3 blocks are too few for an interval"


def test_nothing_measured_is_no_estimate(make_case: MakeCase) -> None:
    """Without blocks there is nothing to estimate, in any reading."""
    assert [case_estimates(make_case(reading=reading), []) for reading in Reading] == [[]] * len(Reading)


def test_lost_blocks_take_no_part(make_case: MakeCase) -> None:
    """An estimate comes from valid blocks."""
    case = make_case(("async",), reading=Reading.QUEUE)
    blocks = blocks_of(case, [Sample(64, 1.0, 1.0, stall_call=call) for call in (5, 50)])
    (call, _) = case_estimates(case, [blocks[0], replace(blocks[1], valid=False)])
    assert call.value == 5


def test_the_waited_share_is_what_neither_work_nor_return_explains(make_case: MakeCase) -> None:
    """Of 10 s until all is done the thread was held for 6 and worked for 2: it waited for 0.4 of the time."""
    case = make_case(("async", "sync"))
    found = by_name(case_estimates(case, blocks_of(case, [Sample(5, 6.0, 10.0, host_cpu_s=2.0)] * 6)))
    assert found.keys() == {"waited_share[async]"}
    share = found["waited_share[async]"]
    assert (share.value, share.low, share.high, share.unit) == pytest.approx((0.4, 0.4, 0.4, "share"))


def test_a_wait_for_values_is_none_for_submitting(make_case: MakeCase) -> None:
    """Where the messages of an arm read values the thread waits for those: nothing is said of submitting."""
    case = make_case(("async", "async+values"))
    reading = replace(case.pipeline, nodes=(*case.pipeline.nodes, Node("out", "values", ("last",))))
    sample = Sample(5, 6.0, 10.0, host_cpu_s=2.0)
    assert by_name(case_estimates(case, blocks_of(case, [sample] * 6))).keys() == {"waited_share[async]"}
    assert case_estimates(replace(case, pipeline=reading), blocks_of(case, [sample] * 6)) == []


def test_a_clock_that_runs_ahead_is_no_negative_wait(make_case: MakeCase) -> None:
    """CPU time a little above the time on the wall means that the thread did not wait."""
    case = make_case(("async",))
    (share,) = case_estimates(case, blocks_of(case, [Sample(5, 1.0, 10.0, host_cpu_s=1.001)] * 6))
    assert share.value == 0.0


def test_growth_is_what_a_message_adds(make_case: MakeCase) -> None:
    """Ops pending after the first and the last message give what each one leaves behind."""
    case = make_case(("async", "off"), reading=Reading.PENDING)
    blocks = blocks_of(case, [Sample(4, 1.0, 1.0, pending_ops=[4, 8, 12, 16], pending_bytes=[0] * 4)] * 6)
    found = by_name(case_estimates(case, blocks))
    assert {name: each.value for name, each in found.items()} == {"pending_growth[async]": 4, "pending_growth[off]": 4}


def test_one_message_grows_nothing(make_case: MakeCase) -> None:
    """A single message has no growth."""
    case = make_case(("off",), reading=Reading.PENDING)
    (growth,) = case_estimates(case, blocks_of(case, [Sample(1, 1.0, 1.0, pending_ops=[4])] * 6))
    assert growth.value == 0


def bursts(make_case: MakeCase, ops: Sequence[int]) -> list[Case]:
    """Cases of a burst scenario, by their ops."""
    return [make_case(("off", "async"), reading=Reading.BURST, ops=n, n=n) for n in ops]


def test_prices_are_slope_and_start_of_a_line(make_case: MakeCase) -> None:
    """Two microseconds an op on top of five give these prices, whatever the number of messages."""
    cases = bursts(make_case, (1, 3, 10))
    blocks = {
        case.id: blocks_of(case, [Sample(8, 8 * (5e-6 + 2e-6 * device_ops(case.pipeline)), 1.0)] * 6) for case in cases
    }
    found = by_name(scenario_estimates(cases, blocks))
    assert found.keys() == {"per_op_s[off]", "per_call_s[off]", "per_op_s[async]", "per_call_s[async]"}
    for arm in ("off", "async"):
        per_op, per_call = found[f"per_op_s[{arm}]"], found[f"per_call_s[{arm}]"]
        assert (per_op.value, per_op.low, per_op.high) == pytest.approx((2e-6, 2e-6, 2e-6))
        assert (per_call.value, per_call.low, per_call.high) == pytest.approx((5e-6, 5e-6, 5e-6))
        assert per_op.unit == per_call.unit == "s"


def test_prices_come_from_blocks_that_measured_every_case(make_case: MakeCase) -> None:
    """A block that lost one case gives no line."""
    cases = bursts(make_case, (1, 3))
    blocks = {case.id: blocks_of(case, [Sample(8, 1e-3 * device_ops(case.pipeline), 1.0)] * 7) for case in cases}
    blocks[cases[0].id][3] = replace(blocks[cases[0].id][3], valid=False)
    assert all(each.low is not None for each in scenario_estimates(cases, blocks))
    blocks[cases[1].id] = blocks[cases[1].id][:5]
    found = scenario_estimates(cases, blocks)
    assert {each.reason for each in found} == {"4 blocks are too few for an interval"}


@pytest.mark.parametrize("ops", [(), (3,), (3, 3)])
def test_one_number_of_ops_is_no_line(ops: tuple[int, ...], make_case: MakeCase) -> None:
    """A price needs two different numbers of ops."""
    cases = bursts(make_case, ops)
    assert scenario_estimates(cases, {case.id: blocks_of(case, [Sample(8, 1.0, 1.0)] * 6) for case in cases}) == []


def test_other_readings_have_no_prices(make_case: MakeCase) -> None:
    """A stream's host time is no price: its queue may be full."""
    cases = [make_case(ops=n, n=n) for n in (1, 3)]
    assert scenario_estimates(cases, {}) == []


def test_cases_without_common_blocks_have_no_prices(make_case: MakeCase) -> None:
    """Where nothing was measured together there is no line."""
    cases = bursts(make_case, (1, 3))
    assert scenario_estimates(cases, {cases[0].id: blocks_of(cases[0], [Sample(8, 1.0, 1.0)])}) == []


def test_prices_follow_from_the_samples_in_the_document(
    engine: Any,
    make_case: MakeCase,
    make_plan: Callable[..., ScenarioPlan],
    make_request: Callable[..., Request],
) -> None:
    """With two cases the line of a block goes through both: each price can be computed again."""
    cases = bursts(make_case, (1, 3))
    engine.noise = 0.05
    engine.cost[cases[1].id, "async"] = 2.0
    document = engine.start(make_request(make_plan(*cases), stages=(6,)))
    points = []
    for record in document.cases:
        medians = {}
        for block in record.blocks:
            taken = [s for s in block.samples if s.arm == "async" and s.phase == "measure"]
            medians[block.index] = median(s.dispatch_s / s.messages for s in taken)
        points.append(medians)
    ops = [device_ops(case.pipeline) for case in cases]
    slopes = sorted((points[1][b] - points[0][b]) / (ops[1] - ops[0]) for b in points[0])
    per_op = by_name(document.scenarios[0].estimates)["per_op_s[async]"]
    assert (per_op.value, per_op.low, per_op.high) == pytest.approx((median(slopes), slopes[0], slopes[-1]))
