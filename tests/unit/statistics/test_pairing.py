"""One block, one number."""

from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.pairing import block_log_ratio

SAMPLES = st.lists(st.tuples(st.floats(1e-6, 1e3), st.floats(1e-6, 1e3)), min_size=1, max_size=12)


def test_positive_means_slower() -> None:
    """A new arm that takes 5 % longer in every round has a log ratio of log 1.05."""
    assert block_log_ratio([1.0, 2.0, 4.0], [1.05, 2.1, 4.2]) == pytest.approx(log(1.05))


def test_a_burst_in_one_round_does_not_show() -> None:
    """One round hit by a burst leaves the number of the block where it was."""
    base, new = [1.0, 1.01, 0.99, 1.0, 1.02, 1.0], [1.0, 1.01, 0.99, 30.0, 1.02, 1.0]
    assert block_log_ratio(base, new) == pytest.approx(0.0)


def test_slow_rounds_cancel() -> None:
    """Rounds that are slow for both arms alike do not count."""
    assert block_log_ratio([1.0, 5.0, 2.0], [1.1, 5.5, 2.2]) == pytest.approx(log(1.1))


def test_unpaired_rounds_are_refused() -> None:
    """Arms with different numbers of rounds cannot be paired."""
    with pytest.raises(ValueError, match="3 samples of the base arm cannot be paired with 2"):
        block_log_ratio([1.0, 1.0, 1.0], [1.0, 1.0])


def test_no_time_at_all_is_refused() -> None:
    """A sample of zero seconds has no ratio."""
    with pytest.raises(ValueError, match="new arm: number 1 of 1"):
        block_log_ratio([1.0], [0.0])


@given(SAMPLES)
@settings(deadline=None)
def test_swapping_arms_changes_the_sign(rounds: list[tuple[float, float]]) -> None:
    """Swapping the arms changes the sign and nothing else."""
    base, new = [r[0] for r in rounds], [r[1] for r in rounds]
    assert block_log_ratio(new, base) == pytest.approx(-block_log_ratio(base, new), abs=1e-12)


@given(SAMPLES, st.floats(0.1, 10))
@settings(deadline=None)
def test_unit_does_not_matter(rounds: list[tuple[float, float]], unit: float) -> None:
    """Seconds and milliseconds give the same number."""
    base, new = [r[0] for r in rounds], [r[1] for r in rounds]
    scaled = block_log_ratio([unit * v for v in base], [unit * v for v in new])
    assert scaled == pytest.approx(block_log_ratio(base, new), abs=1e-9)
