"""When a case ends, and with which verdict."""

from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.noise_floor import effect_floor
from placement_cli.statistics.stopping import EARLIEST_FLAG, StoppingRule, decide
from placement_cli.statistics.verdict import VerdictKind, judge

FLOOR = effect_floor(0.03)
RULE = StoppingRule()
GATE = StoppingRule(one_sided=True)
RATIOS = st.lists(st.floats(-0.2, 0.2), min_size=1, max_size=20)


def around(centre: float, n: int, step: float = 0.001) -> list[float]:
    """Return n log ratios spread evenly and narrowly around log(centre)."""
    return [log(centre) + step * (k - (n - 1) / 2) for k in range(n)]


def test_clear_same_ends_at_the_first_look() -> None:
    """Six blocks well within the limit end the case."""
    decision = decide(around(1.0, 6), FLOOR, RULE, 20)
    assert decision.stop
    assert decision.verdict.kind is VerdictKind.SAME


def test_same_near_the_limit_goes_on() -> None:
    """Six blocks within the limit but beyond half of it do not end the case yet."""
    decision = decide(around(1.02, 6), FLOOR, RULE, 20)
    assert not decision.stop
    assert decision.why == "the next look is after 12 blocks"


@pytest.mark.parametrize("centre", [0.5, 2.0])
def test_no_difference_at_six(centre: float) -> None:
    """However large, a difference is not called one after 6 of 20 blocks."""
    decision = decide(around(centre, 6), FLOOR, RULE, 20)
    assert not decision.stop
    assert decision.verdict.kind is VerdictKind.INCONCLUSIVE


@pytest.mark.parametrize(("centre", "kind"), [(1.06, VerdictKind.SLOWER), (0.94, VerdictKind.FASTER)])
def test_large_difference_ends_at_twelve(centre: float, kind: VerdictKind) -> None:
    """A difference beyond 1.5 times the floor and clear of zero at 99 % ends the case after 12 blocks."""
    decision = decide(around(centre, 12), FLOOR, RULE, 20)
    assert decision.stop
    assert decision.verdict.kind is kind
    assert decision.why == "clear of zero at 99 % and beyond 1.5 times the floor"


def test_small_difference_waits_for_the_last_look() -> None:
    """A difference of 4 % is beyond the floor but not by half of it, so it takes all 20 blocks."""
    assert not decide(around(1.04, 12), FLOOR, RULE, 20).stop
    assert decide(around(1.04, 20), FLOOR, RULE, 20).verdict.kind is VerdictKind.SLOWER


def test_uncertain_difference_waits_for_the_last_look() -> None:
    """A difference that is clear of zero at 95 % but not at 99 % goes on after 12 blocks."""
    ratios = [-0.01, -0.01, *around(1.1, 10)]
    assert judge(ratios, FLOOR).kind is VerdictKind.SLOWER
    assert not decide(ratios, FLOOR, RULE, 20).stop


def test_quick_plan_decides_at_six() -> None:
    """When six blocks are all that is planned, their verdict is final."""
    decision = decide(around(1.05, 6), FLOOR, RULE, 6)
    assert decision.stop
    assert decision.verdict.kind is VerdictKind.SLOWER
    assert decision.why == "all 6 blocks planned are done"


@pytest.mark.parametrize("centre", [0.9, 1.0, 1.1])
@pytest.mark.parametrize("n", [3, 7, 13])
def test_running_out_of_time_is_inconclusive(centre: float, n: int) -> None:
    """Between looks a case that runs out of time is inconclusive, never the same."""
    decision = decide(around(centre, n), FLOOR, RULE, 20, exhausted=True)
    assert decision.stop
    assert decision.verdict.kind is VerdictKind.INCONCLUSIVE
    assert decision.why == "the time is up"


def test_running_out_of_time_keeps_what_the_rule_ends() -> None:
    """A case that the rule ends at this look keeps its verdict although the time is up."""
    assert decide(around(1.0, 6), FLOOR, RULE, 20, exhausted=True).verdict.kind is VerdictKind.SAME
    assert decide(around(1.05, 20), FLOOR, RULE, 20, exhausted=True).verdict.kind is VerdictKind.SLOWER


def test_gate_ends_when_slower_is_not_in_sight() -> None:
    """In a gate a median below half the limit ends the case, and a speed-up seen at 6 is not called one."""
    decision = decide(around(0.9, 6), FLOOR, GATE, 20)
    assert decision.stop
    assert decision.verdict.kind is VerdictKind.INCONCLUSIVE
    assert "not on its way to slower" in decision.verdict.reason


def test_gate_goes_on_when_slower_is_in_sight() -> None:
    """In a gate a median above half the limit goes on."""
    assert not decide(around(1.05, 6), FLOOR, GATE, 20).stop


def test_hopeless_case_ends() -> None:
    """Six of 12 blocks far above and six far below zero cannot be settled by 8 more, so measuring ends."""
    decision = decide([0.2, -0.2] * 6, FLOOR, RULE, 20)
    assert decision.stop
    assert decision.verdict.kind is VerdictKind.INCONCLUSIVE
    assert decision.why == "no verdict can come of it within 20 blocks"


def test_looks_follow_the_plan() -> None:
    """The looks are the stages below the plan's end, and its end."""
    assert RULE.looks(20) == (6, 12, 20)
    assert RULE.looks(15) == (6, 12, 15)
    assert RULE.looks(6) == (6,)
    assert (RULE.next_look(0, 20), RULE.next_look(6, 20), RULE.next_look(20, 20)) == (6, 12, None)


def test_plan_below_six_is_refused() -> None:
    """A plan that allows no verdict is an error."""
    with pytest.raises(ValueError, match="5 blocks are too few"):
        decide([0.0], FLOOR, RULE, 5)


@pytest.mark.parametrize("stages", [(), (12, 6), (6, 6), (0, 6)])
def test_stages_must_rise(stages: tuple[int, ...]) -> None:
    """Stages that do not rise are refused."""
    with pytest.raises(ValueError, match="rising numbers"):
        StoppingRule(stages)


@given(RATIOS, st.sampled_from([RULE, GATE]), st.sampled_from([6, 9, 12, 20]), st.booleans())
@settings(deadline=None)
def test_never_a_difference_before_its_time(
    ratios: list[float], rule: StoppingRule, planned: int, exhausted: bool
) -> None:
    """Going on is always inconclusive, and an early difference needs 12 blocks and the plain rule too."""
    decision = decide(ratios, FLOOR, rule, planned, exhausted=exhausted)
    if not decision.stop:
        assert decision.verdict.kind is VerdictKind.INCONCLUSIVE
        assert not exhausted
    if decision.verdict.flagged:
        assert len(ratios) >= min(EARLIEST_FLAG, planned)
    if decision.verdict.kind is not VerdictKind.INCONCLUSIVE:
        assert decision.verdict == judge(ratios, FLOOR)


@given(
    st.permutations([0.05, 0.1, 0.2, -0.05, -0.1, -0.001]),
    st.lists(st.floats(-0.2, 0.2), min_size=6, max_size=6),
)
@settings(deadline=None)
def test_what_ends_as_hopeless_was_hopeless(six: list[float], rest: list[float]) -> None:
    """A case ended because nothing can come of it would have been inconclusive at the last look too."""
    assert "no verdict can come" in decide(six, FLOOR, RULE, 12).why
    assert judge([*six, *rest], FLOOR).kind is VerdictKind.INCONCLUSIVE


@given(RATIOS, st.sampled_from([6, 12, 20]))
@settings(deadline=None)
def test_swapping_the_arms_ends_at_the_same_look(ratios: list[float], planned: int) -> None:
    """When both directions matter, swapping the arms changes neither whether to stop nor why."""
    one, other = decide(ratios, FLOOR, RULE, planned), decide([-r for r in ratios], FLOOR, RULE, planned)
    assert (one.stop, one.why) == (other.stop, other.why)
