"""The call at which the host stalls, among hiccups, short holds and slow calls."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.statistics.knee import knee

HELD_S = 0.3


def calls(stall_at: int | None, count: int = 80, held_s: float = HELD_S, seed: int = 0) -> list[float]:
    """Return calls of some microseconds, one of which waits until the hold ends; bursts follow it."""
    rng = np.random.default_rng(seed)
    seconds = rng.lognormal(np.log(8e-6), 0.5, count)
    if stall_at is not None:
        seconds[stall_at - 1] = held_s - seconds[: stall_at - 1].sum()
        seconds[stall_at + 9 :: 10] = rng.uniform(0.5e-3, 13e-3, seconds[stall_at + 9 :: 10].size)
    return [float(s) for s in seconds]


@pytest.mark.parametrize("stall_at", [1, 2, 7, 34, 64, 80])
def test_finds_the_stall(stall_at: int) -> None:
    """The call that waits for the end of the hold is found wherever it is, even as the first."""
    assert knee(calls(stall_at), HELD_S) == stall_at


def test_no_stall_no_knee() -> None:
    """Calls that all return at once have no knee."""
    assert knee(calls(None), HELD_S) is None


@pytest.mark.parametrize("hiccup_s", [0.001, 0.005, 0.025])
def test_hiccups_are_no_stall(hiccup_s: float) -> None:
    """A scheduler that takes the host away for some milliseconds moves no knee."""
    seconds = calls(40)
    seconds[10] = hiccup_s
    seconds[39] -= hiccup_s
    assert knee(seconds, HELD_S) == 40


def test_hiccup_at_the_end_of_the_hold_is_no_stall() -> None:
    """A few milliseconds are no stall just because the hold is nearly over."""
    seconds = [0.029] * 10 + [0.006] + [1e-5] * 5
    assert knee(seconds, HELD_S) is None


def test_slow_calls_are_no_stall() -> None:
    """Calls of 40 ms each use up the hold without one of them standing out."""
    assert knee([0.04] * 20, HELD_S) is None


def test_after_the_hold_nothing_counts() -> None:
    """A long call that begins after the hold is over is something else."""
    assert knee([0.01] * 31 + [1.0], HELD_S) is None


@pytest.mark.parametrize("actual", [0.6, 0.9, 1.4])
def test_hold_need_not_be_exact(actual: float) -> None:
    """A hold that lasts 60 to 140 % of the time it was measured to last shows the same knee."""
    assert knee(calls(34, held_s=actual * HELD_S), HELD_S) == 34


@pytest.mark.parametrize(("seconds", "held_s"), [([-1.0], 0.3), ([1.0], 0.0), ([1.0], float("inf")), ([], 0.3)])
def test_impossible_times_are_refused(seconds: list[float], held_s: float) -> None:
    """Negative durations, no calls and a hold without a length are refused."""
    with pytest.raises(ValueError, match=r"durations|held"):
        knee(seconds, held_s)


@given(st.integers(1, 80), st.integers(0, 1000), st.floats(0.1, 5.0))
@settings(deadline=None)
def test_finds_any_stall_in_any_hold(stall_at: int, seed: int, held_s: float) -> None:
    """Wherever the stall is and however long the hold, the knee is the call that waited."""
    assert knee(calls(stall_at, held_s=held_s, seed=seed), held_s) == stall_at
