"""From blocks to verdicts and faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import exp, log
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement_cli.bench.judge import (
    Judge,
    case_fault,
    control_lean,
    control_ratios,
    hopeless,
    log_ratios,
    noise_floors,
    valid_blocks,
)
from placement_cli.bench.metrics import COMPLETE, IN_FLIGHT
from placement_cli.measure.blocks import CaseBlock
from placement_cli.measure.specs import Case, Reading
from placement_cli.statistics.control import CONTROL
from placement_cli.statistics.stopping import StoppingRule
from placement_cli.statistics.verdict import VerdictKind

MakeCase = Callable[..., Case]
MakeBlocks = Callable[..., list[CaseBlock]]
MakeLost = Callable[..., CaseBlock]

JUDGE = Judge(0.03, StoppingRule(), {})
QUICK = Judge(0.03, StoppingRule((6,)), {})


def around(ratio: float, count: int, step: float = 0.0005) -> list[float]:
    """Return log ratios spread narrowly around that of `ratio`."""
    return [log(ratio) + step * (number - (count - 1) / 2) for number in range(count)]


@pytest.mark.parametrize(
    ("ratio", "kind"),
    [
        (1.10, VerdictKind.SLOWER),
        (0.90, VerdictKind.FASTER),
        (1.00, VerdictKind.SAME),
        (1.028, VerdictKind.INCONCLUSIVE),
    ],
)
def test_a_verdict_follows_from_the_blocks(
    ratio: float, kind: VerdictKind, make_case: MakeCase, make_blocks: MakeBlocks
) -> None:
    """Twenty blocks clear of the floor are faster or slower, within it the same, astride of it neither."""
    case = make_case()
    compared = JUDGE.compare(case, make_blocks(case, {"sync": around(ratio, 20, 0.001)}))
    assert compared[0].verdict.kind is kind
    assert compared[0].verdict.ratio == pytest.approx(ratio)
    assert compared[0].stop


def test_every_arm_is_compared_in_every_metric(make_case: MakeCase, make_blocks: MakeBlocks) -> None:
    """The primary metric comes first, and within a metric the arms come in their order."""
    case = make_case(("async", "sync", "off"))
    compared = JUDGE.compare(case, make_blocks(case, {"sync": around(1, 6), "off": around(1, 6)}))
    assert [(each.metric, each.new) for each in compared] == [
        (COMPLETE, "sync"),
        (COMPLETE, "off"),
        (IN_FLIGHT, "sync"),
        (IN_FLIGHT, "off"),
    ]


def test_no_block_is_inconclusive(make_case: MakeCase) -> None:
    """Nothing measured says nothing, and asks for more."""
    compared = JUDGE.compare(make_case(), [])
    assert {each.verdict.kind for each in compared} == {VerdictKind.INCONCLUSIVE}
    assert {each.verdict.reason for each in compared} == {"No block was measured."}
    assert not any(each.stop for each in compared)


def test_a_large_difference_is_no_verdict_after_six_blocks(make_case: MakeCase, make_blocks: MakeBlocks) -> None:
    """However large, slower is not said after six of twenty blocks."""
    case = make_case()
    blocks = make_blocks(case, {"sync": around(2.0, 6)})
    assert JUDGE.compare(case, blocks)[0].verdict.kind is VerdictKind.INCONCLUSIVE
    assert not JUDGE.finished(case, blocks)


def test_six_blocks_are_all_of_a_quick_run(make_case: MakeCase, make_blocks: MakeBlocks) -> None:
    """Where six blocks are all that is planned, they give a verdict."""
    case = make_case()
    blocks = make_blocks(case, {"sync": around(2.0, 6)})
    assert QUICK.compare(case, blocks)[0].verdict.kind is VerdictKind.SLOWER
    assert QUICK.finished(case, blocks)


def test_same_ends_a_case_early(make_case: MakeCase, make_blocks: MakeBlocks) -> None:
    """Six blocks well within the limit end a case."""
    case = make_case()
    assert JUDGE.finished(case, make_blocks(case, {"sync": around(1.0, 6)}))


def test_all_arms_must_be_decided(make_case: MakeCase, make_blocks: MakeBlocks) -> None:
    """One arm that is the same does not end a case whose other arm is open."""
    case = make_case(("async", "sync", "off"))
    assert not JUDGE.finished(case, make_blocks(case, {"sync": around(1.0, 6), "off": around(1.03, 6)}))


def test_only_the_primary_metric_ends_a_case(make_case: MakeCase, make_blocks: MakeBlocks) -> None:
    """Bytes that are far from decided do not keep a case going whose times are the same."""
    case = make_case()
    blocks = make_blocks(case, {"sync": around(1.0, 6)})
    uneven = [
        replace(
            block,
            samples=tuple(
                replace(t, sample=replace(t.sample, in_flight_bytes=5000 * (1 + n * (t.arm == "sync"))))
                for t in block.samples
            ),
        )
        for n, block in enumerate(blocks)
    ]
    assert JUDGE.compare(case, uneven)[1].stop is False
    assert JUDGE.finished(case, uneven)


def test_time_that_runs_out_is_inconclusive_never_same(make_case: MakeCase, make_blocks: MakeBlocks) -> None:
    """Five equal blocks of a run that must end now are inconclusive, although they look the same."""
    case = make_case()
    (compared, *_) = JUDGE.compare(case, make_blocks(case, {"sync": around(1.0, 5)}), exhausted=True)
    assert compared.verdict.kind is VerdictKind.INCONCLUSIVE
    assert compared.stop


def test_a_case_without_arms_to_compare_takes_six_blocks(make_case: MakeCase, make_blocks: MakeBlocks) -> None:
    """A lone arm is measured six times."""
    case = make_case(("async",))
    blocks = make_blocks(case, {"async": [0.0] * 6})
    assert not JUDGE.finished(case, blocks[:5])
    assert JUDGE.finished(case, blocks)


def test_a_wrong_arm_makes_its_case_invalid(make_case: MakeCase, make_blocks: MakeBlocks, make_lost: MakeLost) -> None:
    """One block in which an arm computes other values spoils the case, however many agree."""
    case = make_case()
    blocks = [*make_blocks(case, {"sync": around(1.5, 20)}), make_lost(case, "disagreement", 20, "sync is wrong")]
    (compared, *_) = JUDGE.compare(case, blocks)
    assert compared.verdict.kind is VerdictKind.INVALID
    assert compared.verdict.reason == "sync is wrong"
    assert JUDGE.finished(case, blocks)
    fault = JUDGE.fault(blocks)
    assert fault is not None
    assert fault.exit_code == 6


def test_one_crash_is_measured_again(make_case: MakeCase, make_blocks: MakeBlocks, make_lost: MakeLost) -> None:
    """A single lost block is no fault once six others are there."""
    case = make_case()
    blocks = [make_lost(case), *make_blocks(case, {"sync": around(1.0, 6)}, first=1)]
    assert case_fault(blocks) is None
    assert JUDGE.compare(case, blocks)[0].verdict.kind is VerdictKind.SAME


def test_a_crash_with_too_few_other_blocks_is_a_fault(
    make_case: MakeCase, make_blocks: MakeBlocks, make_lost: MakeLost
) -> None:
    """A lost block that was not made up for spoils its case."""
    case = make_case()
    fault = case_fault([*make_blocks(case, {"sync": around(1.0, 5)}), make_lost(case, index=5)])
    assert fault is not None
    assert (fault.kind, fault.reason, fault.exit_code) == ("crash", "it went wrong", 6)


def test_two_crashes_are_hopeless(make_case: MakeCase, make_blocks: MakeBlocks, make_lost: MakeLost) -> None:
    """A case that crashes twice is not tried again."""
    case = make_case()
    blocks = [*make_blocks(case, {"sync": around(1.0, 12)}), make_lost(case, index=12), make_lost(case, index=13)]
    assert hopeless(blocks)
    assert JUDGE.finished(case, blocks)
    assert JUDGE.compare(case, blocks)[0].verdict.kind is VerdictKind.INVALID


@pytest.mark.parametrize(("drifting", "fault"), [(3, None), (4, "drift")])
def test_drift_in_most_blocks_is_a_fault(
    drifting: int, fault: str | None, make_case: MakeCase, make_blocks: MakeBlocks
) -> None:
    """Blocks that drift count until they are more than half; then nothing is trusted, and the code is 5."""
    case = make_case()
    blocks = make_blocks(case, {"sync": around(1.0, 6)})
    blocks[:drifting] = [replace(block, kind="drift", reason="samples change") for block in blocks[:drifting]]
    found = case_fault(blocks)
    assert (found and found.kind) == fault
    if found:
        assert found.exit_code == 5
        assert found.reason == "4 of 6 blocks drift even after a double warm-up: samples change"


@pytest.mark.parametrize(
    ("states", "fault"),
    [(["heavy"] * 4 + ["nominal"] * 2, "heat"), (["heavy"] * 3 + ["nominal"] * 3, None), (["moderate"] * 6, None)],
)
def test_heat_in_most_blocks_is_a_fault(
    states: list[str], fault: str | None, make_case: MakeCase, make_blocks: MakeBlocks
) -> None:
    """A machine that heat held back in most blocks gives no verdict; a merely warm one does."""
    case = make_case()
    blocks = make_blocks(case, {"sync": around(1.0, 6)})
    hot = [replace(block, state=({"thermal": state},)) for block, state in zip(blocks, states, strict=True)]
    found = case_fault(hot)
    assert (found and found.kind) == fault
    assert found is None or found.exit_code == 5


def test_a_biased_run_spoils_every_case(make_case: MakeCase, make_blocks: MakeBlocks, make_lost: MakeLost) -> None:
    """The bias of a run is the fault of its cases, but a case's own fault is told first."""
    case = make_case()
    judge = Judge(0.03, StoppingRule(), {}, bias="the run is biased")
    (compared, *_) = judge.compare(case, make_blocks(case, {"sync": around(1.5, 20)}))
    assert compared.verdict.kind is VerdictKind.INVALID
    assert compared.verdict.reason == "the run is biased"
    fault, own = judge.fault([]), judge.fault([make_lost(case)])
    assert fault is not None
    assert own is not None
    assert (fault.kind, fault.exit_code, own.kind) == ("bias", 5, "crash")


def test_no_blocks_are_no_fault() -> None:
    """Where nothing was measured nothing went wrong."""
    assert case_fault([]) is None


def test_lost_blocks_take_no_part(make_case: MakeCase, make_blocks: MakeBlocks, make_lost: MakeLost) -> None:
    """Ratios come from valid blocks alone."""
    case = make_case()
    blocks = [make_lost(case), *make_blocks(case, {"sync": [0.25, 0.5]}, first=1)]
    assert valid_blocks(blocks) == blocks[1:]
    assert log_ratios(blocks, "async", "sync", COMPLETE) == pytest.approx([0.25, 0.5])


def test_the_control_gives_the_noise_floor(make_case: MakeCase, make_blocks: MakeBlocks) -> None:
    """The noise floor of a metric is what the control's median exceeds one time in twenty."""
    case = make_case()
    noisy = [0.08, -0.07, 0.06, -0.09, 0.07, -0.08]
    blocks = make_blocks(case, {"sync": around(1.0, 6), CONTROL: noisy})
    floors = noise_floors(case, blocks, 6)
    assert floors.keys() == {"complete_s", "in_flight_bytes"}
    assert 0.06 < floors["complete_s"] < 0.09


def test_too_few_controls_give_no_noise_floor(make_case: MakeCase, make_blocks: MakeBlocks) -> None:
    """Fewer than six blocks with a control say nothing about noise."""
    case = make_case()
    blocks = make_blocks(case, {"sync": around(1.0, 5), CONTROL: around(1.0, 5)})
    assert noise_floors(case, blocks, 6) == {}


def test_blocks_without_a_control_are_passed_over(make_case: MakeCase, make_blocks: MakeBlocks) -> None:
    """Control ratios come from the blocks that hold one."""
    case = make_case()
    blocks = [*make_blocks(case, {"sync": [0.0]}), *make_blocks(case, {"sync": [0.0], CONTROL: [0.02]}, first=1)]
    assert control_ratios(case, blocks, COMPLETE) == pytest.approx([0.02])
    assert control_lean(case, blocks) == pytest.approx(0.02)
    assert control_lean(case, blocks[:1]) is None


def test_a_noisy_machine_raises_the_floor(make_case: MakeCase, make_blocks: MakeBlocks) -> None:
    """A difference beyond 3 % is inconclusive where 1.5 times the noise floor is larger."""
    case = make_case()
    blocks = make_blocks(case, {"sync": around(1.05, 20)})
    noisy = Judge(0.03, StoppingRule(), {"complete_s": 0.06})
    assert JUDGE.compare(case, blocks)[0].verdict.kind is VerdictKind.SLOWER
    compared = noisy.compare(case, blocks)[0]
    assert compared.verdict.kind is VerdictKind.INCONCLUSIVE
    assert compared.floor.value == pytest.approx(0.09)
    assert "1.5 times the noise floor of 6.2 %" in compared.verdict.reason


def test_noise_never_widens_same(make_case: MakeCase, make_blocks: MakeBlocks) -> None:
    """On a noisier machine no more cases are the same: that needs what was asked for."""
    case = make_case()
    noisy = Judge(0.03, StoppingRule(), {"complete_s": 0.2})
    blocks = make_blocks(case, {"sync": around(1.05, 20)})
    assert noisy.compare(case, blocks)[0].verdict.kind is VerdictKind.INCONCLUSIVE


def test_the_bootstrap_needs_six_blocks(make_case: MakeCase, make_blocks: MakeBlocks) -> None:
    """The second interval is there from six blocks on, and lies around the ratio."""
    case = make_case()
    few, enough = (JUDGE.compare(case, make_blocks(case, {"sync": around(1.2, n)}))[0] for n in (5, 6))
    assert few.bootstrap is None
    assert enough.bootstrap is not None
    low, high = enough.bootstrap
    assert low <= 1.2 <= high


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ratios=st.lists(st.floats(-0.3, 0.3), min_size=1, max_size=20), data=st.data())
def test_verdicts_and_stops_agree_with_the_rule(
    ratios: list[float], data: st.DataObject, make_case: MakeCase, make_blocks: MakeBlocks
) -> None:
    """A difference is said only at 12 blocks or later, with its interval clear of zero and its median beyond 3 %."""
    case: Any = make_case()
    exhausted = data.draw(st.booleans())
    (compared, *_) = JUDGE.compare(case, make_blocks(case, {"sync": ratios}), exhausted=exhausted)
    verdict = compared.verdict
    if verdict.flagged:
        assert len(ratios) >= 12
        assert verdict.interval is not None
        assert verdict.ratio is not None
        assert not verdict.interval.low <= 1 <= verdict.interval.high
        assert not exp(-log(1.03)) <= verdict.ratio <= 1.03
    if verdict.kind is VerdictKind.SAME:
        assert len(ratios) in (6, 12, 20)
        assert verdict.interval is not None
        assert verdict.interval.inside(1 / 1.03, 1.03)
    if len(ratios) == 20 or exhausted:
        assert compared.stop


def test_a_reading_brings_its_own_metrics(make_case: MakeCase, make_blocks: MakeBlocks) -> None:
    """A paced case is compared in latency and in how busy the host is."""
    case = make_case(reading=Reading.PACED)
    compared = JUDGE.compare(case, make_blocks(case, {"sync": around(1.5, 20)}))
    assert [each.metric.key for each in compared] == ["latency_s", "latency_p95_s", "busy_share"]
    assert [str(each.verdict.kind) for each in compared] == ["slower", "slower", "same"]
