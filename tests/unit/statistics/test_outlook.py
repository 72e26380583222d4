"""How many blocks a case would take."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.noise_floor import effect_floor
from placement_cli.statistics.order_statistics import good_count
from placement_cli.statistics.outlook import MOST_BLOCKS, Outlook, outlook
from placement_cli.statistics.verdict import VerdictKind, judge

FLOOR = effect_floor(0.03)


def test_too_few_need_the_fewest() -> None:
    """With fewer than 6 blocks the answer is 6."""
    assert outlook([0.1, 0.2], FLOOR) == Outlook(6)


def test_effect_at_the_limit_is_never_settled() -> None:
    """Blocks that lie half below and half above the limit would take any number of blocks."""
    seen = outlook([0.01, 0.05, 0.02, 0.04, 0.028, 0.03, 0.01, 0.05, 0.02, 0.04, 0.03, 0.028], FLOOR)
    assert seen.blocks is None
    assert "either side of 3.0 %" in seen.obstacle


def test_blocks_on_both_sides_of_zero() -> None:
    """A median beyond the limit with nearly half of the blocks below zero is not settled by blocks."""
    seen = outlook([-0.2, -0.1, -0.3, -0.2, -0.1, 0.06, 0.06, 0.3, 0.2, 0.3, 0.1, 0.2], FLOOR)
    assert seen.blocks is None
    assert "either side of zero" in seen.obstacle


def test_noise_that_would_settle_down() -> None:
    """A change clear of zero under a floor set by noise waits for the noise to fall like 1 / sqrt(n)."""
    changed = [0.05 + 0.001 * k for k in range(12)]
    assert outlook(changed, effect_floor(0.03, noise=0.06)).blocks == good_count(32)
    hidden = outlook(changed, effect_floor(0.03, noise=0.2))
    assert hidden.blocks is None
    assert "noise" in hidden.obstacle


def test_no_blocks_help_against_a_coarse_timer() -> None:
    """A change below the tick of the timer stays hidden."""
    seen = outlook([0.05 + 0.001 * k for k in range(12)], effect_floor(0.03, timer_quantum=0.2))
    assert seen.blocks is None
    assert "timer" in seen.obstacle


@pytest.mark.parametrize(("effect", "spread"), [(0.0, 0.015), (0.0, 0.03), (0.05, 0.03), (0.1, 0.08)])
def test_most_cases_are_settled_where_it_says(effect: float, spread: float) -> None:
    """Away from the limit, most cases are settled at the number of blocks that was foreseen."""
    rng = np.random.default_rng(6)
    settled = []
    for _ in range(150):
        blocks = effect + spread * rng.standard_normal(MOST_BLOCKS)
        verdict = judge(blocks[:12], FLOOR)
        if verdict.blocks_needed is not None:
            settled.append(judge(blocks[: verdict.blocks_needed], FLOOR).kind is not VerdictKind.INCONCLUSIVE)
    assert np.mean(settled) > 0.7


@given(st.lists(st.floats(-0.3, 0.3), min_size=6, max_size=30), st.floats(0, 0.1))
@settings(deadline=None)
def test_always_more_and_a_good_count(ratios: list[float], noise: float) -> None:
    """The answer is more than there are, at most `MOST_BLOCKS`, and a count at which the interval narrows."""
    seen = outlook(ratios, effect_floor(0.03, noise=noise))
    if seen.blocks is None:
        assert seen.obstacle
    else:
        assert len(ratios) < seen.blocks <= MOST_BLOCKS
        assert good_count(seen.blocks) == seen.blocks


@given(st.lists(st.floats(-0.3, 0.3), min_size=6, max_size=30))
@settings(deadline=None)
def test_direction_does_not_matter(ratios: list[float]) -> None:
    """Swapping the arms leaves the answer as it is."""
    assert outlook(ratios, FLOOR) == outlook([-ratio for ratio in ratios], FLOOR)
