from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.device import clock
from placement_cli.device.clock import SystemClock, timer_resolution
from placement_cli.errors import InvalidMeasurement


class ScriptedClock:
    """Reads the given times, and the last one for ever."""

    def __init__(self, times: Iterable[float]) -> None:
        self._times = list(times)

    def now(self) -> float:
        """The next time."""
        return self._times.pop(0) if len(self._times) > 1 else self._times[0]

    def sleep(self, seconds: float) -> None:
        """Never called."""
        raise AssertionError("measuring the resolution must not wait")


@pytest.fixture(autouse=True)
def _few_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "READINGS_AT_MOST", 1_000)


def test_the_smallest_step_counts() -> None:
    """Of steps of different length the shortest is the resolution."""
    assert timer_resolution(ScriptedClock([0.0, 3.0, 4.0, 8.0])) == 1.0


def test_readings_without_a_step_are_passed_over() -> None:
    """A coarse clock that reads the same many times has the resolution of its tick."""
    assert timer_resolution(ScriptedClock([0.0, 0.0, 0.0, 0.5, 0.5, 1.0])) == 0.5


def test_steps_back_are_passed_over() -> None:
    """A clock that is set back does not get a negative resolution."""
    assert timer_resolution(ScriptedClock([5.0, 1.0, 3.0])) == 2.0


def test_a_clock_that_runs_is_read_a_few_times_only() -> None:
    """Once enough steps were seen, a shorter one later is no longer waited for."""
    steps = clock.STEPS_WANTED
    assert timer_resolution(ScriptedClock([*range(steps + 1), steps + 0.5])) == 1.0


def test_a_clock_that_stands_still_is_refused() -> None:
    """Nothing can be timed with a clock that never advances, and that is said."""
    with pytest.raises(InvalidMeasurement, match="did not advance in 1000 readings"):
        timer_resolution(ScriptedClock([7.0]))


@given(st.lists(st.floats(1e-9, 1.0), min_size=1, max_size=20))
@settings(deadline=None)
def test_the_resolution_is_one_of_the_steps(steps: list[float]) -> None:
    """Whatever the steps, the resolution is positive and not above the longest."""
    times = [sum(steps[:count]) for count in range(len(steps) + 1)]
    assert 0 < timer_resolution(ScriptedClock(times)) <= max(steps) * (1 + 1e-6)


def test_the_system_clock_never_goes_back() -> None:
    """Two readings in a row are in order, also with a sleep of no time between them."""
    system = SystemClock()
    before = system.now()
    system.sleep(0.0)
    system.sleep(-1.0)
    system.sleep(1e-9)
    assert system.now() >= before
