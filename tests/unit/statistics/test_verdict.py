"""The five verdicts, their reasons, and what they never claim."""

from math import exp, inf, log, log1p

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.noise_floor import EffectFloor, FloorSource, effect_floor
from placement_cli.statistics.order_statistics import median_interval
from placement_cli.statistics.sign_test import sign_p_value
from placement_cli.statistics.verdict import Verdict, VerdictKind, invalid, judge

FLOOR = effect_floor(0.03)
RATIOS = st.lists(st.floats(-0.3, 0.3), min_size=1, max_size=24)
NOISES = st.floats(0, 0.1)
MIRROR = {VerdictKind.FASTER: VerdictKind.SLOWER, VerdictKind.SLOWER: VerdictKind.FASTER}


def around(centre: float, n: int = 12, step: float = 0.001) -> list[float]:
    """Return n log ratios spread evenly and narrowly around log(centre)."""
    return [log(centre) + step * (k - (n - 1) / 2) for k in range(n)]


@pytest.mark.parametrize(
    ("centre", "kind"),
    [
        (1.05, VerdictKind.SLOWER),
        (0.95, VerdictKind.FASTER),
        (1.0, VerdictKind.SAME),
        (1.02, VerdictKind.SAME),
        (1.029, VerdictKind.INCONCLUSIVE),
    ],
)
def test_rule(centre: float, kind: VerdictKind) -> None:
    """Changes well beyond 3 %, well within it and at it get the verdict they should."""
    assert judge(around(centre), FLOOR).kind is kind


def test_numbers_are_ratios() -> None:
    """Ratio and interval are new over base, not logarithms, with the true coverage and the sign test's p."""
    verdict = judge(around(1.05), FLOOR)
    assert verdict.ratio == pytest.approx(1.05)
    assert verdict.interval is not None
    assert verdict.interval.low < 1.05 < verdict.interval.high
    assert verdict.interval.coverage == pytest.approx(0.961, abs=5e-4)
    assert (verdict.n_blocks, verdict.floor, verdict.p_value) == (12, FLOOR, 2 / 2**12)
    assert verdict.flagged


def test_reason_of_a_difference_has_the_numbers() -> None:
    """The reason says how much, over how many blocks, how sure, and what it had to exceed."""
    assert judge(around(1.05), FLOOR).reason == (
        "+5.0 % over 12 blocks (96.1 % interval +4.6 % to +5.4 %): clear of zero and beyond the floor of "
        "3.0 % (the smallest change asked for)."
    )


def test_reason_of_no_difference_names_the_limit() -> None:
    """`same` says within what."""
    assert judge(around(1.0), FLOOR).reason.endswith("all of it within 3.0 % of no change.")


def test_reason_of_doubt_says_what_it_would_take() -> None:
    """An inconclusive case says what is in the way and how many blocks it would take."""
    verdict = judge([0.01, 0.05, -0.02, 0.03, 0.04, 0.06], FLOOR)
    assert verdict.kind is VerdictKind.INCONCLUSIVE
    assert "neither clear of zero nor all within 3.0 %" in verdict.reason
    assert verdict.blocks_needed is not None
    assert f"About {verdict.blocks_needed - 6} more like these ({verdict.blocks_needed} in all)" in verdict.reason


def test_case_that_blocks_cannot_settle_says_so() -> None:
    """An effect at the limit needs no number of blocks, and the reason says that."""
    verdict = judge(around(1.029, step=0.002), FLOOR)
    assert verdict.blocks_needed is None
    assert "Not even 100 blocks like these would settle it" in verdict.reason


def test_too_few_blocks_say_nothing() -> None:
    """Five blocks, however clear, give no verdict and no interval."""
    verdict = judge([0.5] * 5, FLOOR)
    assert (verdict.kind, verdict.interval, verdict.blocks_needed) == (VerdictKind.INCONCLUSIVE, None, 6)
    assert "6 are the fewest that allow a verdict" in verdict.reason


@pytest.mark.parametrize("centre", [0.9, 1.0, 1.1])
def test_broken_off_is_inconclusive(centre: float) -> None:
    """Blocks that are not all that were planned allow no verdict, however clear."""
    verdict = judge(around(centre), FLOOR, complete=False)
    assert verdict.kind is VerdictKind.INCONCLUSIVE
    assert "ended before its plan did" in verdict.reason


def test_noise_hides_a_change_without_making_it_the_same() -> None:
    """Under a floor of 9 % set by noise, a change of 5 % is neither slower nor the same."""
    verdict = judge(around(1.05), effect_floor(0.03, noise=0.06))
    assert verdict.kind is VerdictKind.INCONCLUSIVE
    assert "1.5 times the noise floor of 6.2 %" in verdict.reason


def test_quiet_case_is_the_same_even_where_noise_is_high() -> None:
    """When the whole interval lies within what was asked for, noise elsewhere does not matter."""
    assert judge(around(1.0), effect_floor(0.03, noise=0.06)).kind is VerdictKind.SAME


def test_invalid_without_numbers() -> None:
    """A case that gave no blocks is invalid with its reason and nothing else."""
    assert invalid("The fence does not wait.") == Verdict(
        VerdictKind.INVALID, None, None, 0, None, "The fence does not wait."
    )


def test_invalid_keeps_the_numbers() -> None:
    """What was measured is reported with an invalid case and decides nothing."""
    verdict = invalid("The arms disagree.", around(1.5), FLOOR)
    assert verdict.kind is VerdictKind.INVALID
    assert verdict.ratio == pytest.approx(1.5)
    assert (verdict.n_blocks, verdict.reason, verdict.flagged) == (12, "The arms disagree.", False)


@pytest.mark.parametrize("bad", [[], [float("nan")] * 6, [0.1, inf, 0.1, 0.1, 0.1, 0.1]])
def test_missing_numbers_are_refused(bad: list[float]) -> None:
    """No blocks and blocks without a number are errors."""
    with pytest.raises(ValueError, match="block log ratios"):
        judge(bad, FLOOR)


@given(RATIOS, NOISES)
@settings(deadline=None)
def test_swapping_the_arms_mirrors_the_verdict(ratios: list[float], noise: float) -> None:
    """Swapping the arms swaps faster and slower, inverts the ratio and changes nothing else."""
    floor = effect_floor(0.03, noise=noise)
    one, other = judge(ratios, floor), judge([-r for r in ratios], floor)
    assert other.kind is MIRROR.get(one.kind, one.kind)
    assert one.ratio is not None
    assert other.ratio == pytest.approx(1 / one.ratio)
    assert (one.blocks_needed, one.p_value) == (other.blocks_needed, other.p_value)


@given(RATIOS, NOISES)
@settings(deadline=None)
def test_never_stronger_than_the_interval(ratios: list[float], noise: float) -> None:
    """A difference is clear of zero, beyond the floor and significant; `same` lies within the limit."""
    floor = effect_floor(0.03, noise=noise)
    verdict, interval = judge(ratios, floor), median_interval(ratios)
    if verdict.flagged:
        assert interval is not None
        assert interval.low * interval.high > 0
        assert abs(log(verdict.ratio or 1.0)) > floor.value - 1e-12
        assert sign_p_value(ratios) <= 0.05
    if verdict.kind is VerdictKind.SAME:
        assert interval is not None
        assert max(-interval.low, interval.high) < log1p(0.03)


@given(RATIOS, NOISES, NOISES)
@settings(deadline=None)
def test_more_noise_never_finds_more(ratios: list[float], noise: float, more: float) -> None:
    """Raising the noise floor turns a difference into doubt at most, and never makes a case the same."""
    quiet = judge(ratios, effect_floor(0.03, noise=noise)).kind
    noisy = judge(ratios, effect_floor(0.03, noise=noise + more)).kind
    assert noisy is quiet or (quiet in MIRROR and noisy is VerdictKind.INCONCLUSIVE)


@given(RATIOS, st.floats(0, 0.1), st.floats(0, 0.1))
@settings(deadline=None)
def test_asking_for_less_never_finds_more(ratios: list[float], effect: float, more: float) -> None:
    """A larger smallest effect never turns a case into a difference and never loses a `same`."""
    strict, loose = judge(ratios, effect_floor(effect)).kind, judge(ratios, effect_floor(effect + more)).kind
    if loose in MIRROR:
        assert strict is loose
    if strict is VerdictKind.SAME:
        assert loose is VerdictKind.SAME


@given(RATIOS, st.floats(0, 0.2))
@settings(deadline=None)
def test_slower_stays_slower(ratios: list[float], more: float) -> None:
    """What is slower stays so when every block is slower still."""
    if judge(ratios, FLOOR).kind is VerdictKind.SLOWER:
        assert judge([r + more for r in ratios], FLOOR).kind is VerdictKind.SLOWER


@given(RATIOS)
@settings(deadline=None)
def test_every_verdict_has_its_reason(ratios: list[float]) -> None:
    """Every reason holds the number of blocks; only doubt asks for more of them."""
    verdict = judge(ratios, FLOOR)
    assert f"over {len(ratios)} block" in verdict.reason
    assert verdict.blocks_needed is None or verdict.kind is VerdictKind.INCONCLUSIVE
    assert verdict.ratio == pytest.approx(exp(log(verdict.ratio or 1.0)))


def test_floor_made_by_hand() -> None:
    """A floor given as a bare value is what `same` is held against too."""
    assert judge(around(1.02), EffectFloor(0.03, FloorSource.MIN_EFFECT, 0.0)).kind is VerdictKind.SAME
