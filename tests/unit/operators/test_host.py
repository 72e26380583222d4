"""Work on the host thread."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placement_cli.operators.host import WORK, amount_for, calibrate

if TYPE_CHECKING:
    from collections.abc import Callable


class Machine:
    """A clock, and work that moves it: so many seconds an iteration, and a start-up that only the first pays."""

    def __init__(self, iteration_s: float, disturbance_s: float = 0.0) -> None:
        self.now = 0.0
        self.iteration_s = iteration_s
        self.disturbance_s = disturbance_s
        self.calls = 0

    def clock(self) -> float:
        """Return the seconds so far."""
        return self.now

    def work(self, amount: int) -> None:
        """Take the time of so many iterations."""
        self.calls += 1
        self.now += amount * self.iteration_s + (self.disturbance_s if self.calls % 3 else 0.0)


@given(st.floats(1e-8, 1e-3), st.floats(1e-5, 10.0))
def test_the_amount_takes_the_length_asked_for(iteration_s: float, length_s: float) -> None:
    """It is right to the nearest iteration, for short and for long work."""
    machine = Machine(iteration_s)
    amount = amount_for(length_s, machine.work, machine.clock)
    assert amount >= 1
    assert abs(amount * iteration_s - length_s) <= iteration_s + 1e-6 * length_s


def test_disturbed_trials_do_not_count() -> None:
    """The least time of several trials decides, so that a busy machine does not shorten the work."""
    machine = Machine(1e-5, disturbance_s=0.5)
    assert amount_for(0.01, machine.work, machine.clock) == 1000


def test_long_work_is_found_from_short_trials() -> None:
    """Nobody waits for minutes of trials to find a minute of work."""
    machine = Machine(1e-4)
    assert amount_for(60.0, machine.work, machine.clock) == 600_000
    assert machine.now < 2.0


def test_no_length_is_no_work() -> None:
    """A length of zero needs no trial."""
    machine = Machine(1.0)
    assert amount_for(0.0, machine.work, machine.clock) == 0
    assert machine.calls == 0


def test_sleep_is_counted_in_microseconds() -> None:
    """Nothing needs to be tried out."""
    assert calibrate("sleep", 0.0025, lambda: 0.0) == 2500


@pytest.mark.parametrize("kind", ["blas", "python"])
def test_real_work_can_be_calibrated(kind: str) -> None:
    """Trials with the clock of the machine end with at least one iteration."""
    assert calibrate(kind, 1e-4, perf_counter) >= 1


@pytest.mark.parametrize("kind", WORK)
def test_the_message_passes_untouched(stream: Any, pending: Any, kind: str) -> None:
    """The same lazy array comes out, as lazy as before."""
    import mlx.core as mx

    node = stream("host", {"kind": kind, "amount": 2})
    lazy = mx.negative(*node.messages())
    assert node.unit.step(lazy) is lazy
    assert pending(lazy) == ["Negative"]


def test_a_given_amount_is_done_without_trials(stream: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found once is done as often as it says on every message, in every process alike."""
    done: list[int] = []
    makers: dict[str, Callable[[], Callable[[int], None]]] = {"blas": lambda: done.append}
    monkeypatch.setattr("placement_cli.operators.host.WORK", makers)
    node = stream("host", {"amount": 7})
    for _ in range(3):
        node.unit.step(*node.messages())
    assert done == [7, 7, 7]


def test_the_reference_does_no_work(stream: Any) -> None:
    """It is there for the values alone, which do not change."""
    message = object()
    assert stream("host", {"amount": 10**12}).reference.step(message) is message
