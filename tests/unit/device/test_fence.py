from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.device import fence
from placement_cli.device.fence import FenceTest
from placement_cli.device.interface import Device


@dataclass
class Machine:
    """A device in fake time: work that takes `work_s`, and a fence that waits for a share of it."""

    work_s: float = 0.012
    submit_s: float = 0.000_02
    fence_share: float = 1.0
    read_s: float = 0.000_001
    interruptions_s: list[float] = field(default_factory=list)
    time_s: float = 0.0
    busy_until_s: float = 0.0
    made: int = 0
    submitted: list[int] = field(default_factory=list)

    def now(self) -> float:
        """Seconds."""
        return self.time_s

    def sleep(self, seconds: float) -> None:
        """Never called."""
        raise AssertionError("the fence must be waited for, not the clock")

    def heavy(self) -> "Result":
        """Make an array that was never made before."""
        self.made += 1
        return Result(self, self.made)

    def submit(self, *arrays: Any) -> None:
        """Begin the work."""
        self.submitted += [array.number for array in arrays]
        self.busy_until_s = self.time_s + self.work_s
        self.time_s += self.submit_s + (self.interruptions_s.pop(0) if self.interruptions_s else 0.0)

    def synchronize(self) -> None:
        """Wait for the share of the work that this fence waits for."""
        self.time_s += self.fence_share * max(self.busy_until_s - self.time_s, 0.0)


@dataclass
class Result:
    """An array whose value is there when the machine is done."""

    machine: Machine
    number: int

    def __float__(self) -> float:
        self.machine.time_s = max(self.machine.time_s, self.machine.busy_until_s) + self.machine.read_s
        return 1.0


def check(machine: Machine) -> FenceTest:
    """Run the test on a machine, which is its own clock."""
    return fence.test_fence(cast(Device, machine), machine.heavy, machine)


def test_a_fence_that_waits_passes() -> None:
    """With a working fence the test passes and its readings are those of the device."""
    result = check(Machine())
    assert result.ok
    assert result.problem is None
    assert result.dispatch_s == pytest.approx(0.000_02)
    assert result.complete_s == pytest.approx(0.012)
    assert result.after_s == pytest.approx(0.000_001)
    assert result.ratio == pytest.approx(600)


def test_a_fence_that_does_not_wait_fails() -> None:
    """When the work is still running after the fence, the test fails and says how long reading took."""
    result = check(Machine(fence_share=0.0))
    assert not result.ok
    assert result.ratio == pytest.approx(1.0)
    assert "does not wait" in (result.problem or "")
    assert "11.98" in (result.problem or "")


@pytest.mark.parametrize("share", [0.3, 0.5, 0.8])
def test_a_fence_that_waits_for_a_part_fails(share: float) -> None:
    """A fence that covers one stream of several shows in what is left to wait for."""
    result = check(Machine(fence_share=share))
    assert not result.ok
    assert result.ratio > fence.MIN_RATIO


def test_a_submission_that_blocks_fails() -> None:
    """When submitting already waits for the work, dispatch says nothing, and that is the reason given."""
    result = check(Machine(submit_s=0.011_9))
    assert not result.ok
    assert "submitting blocks" in (result.problem or "")


def test_one_interruption_does_not_decide() -> None:
    """A submission held up once by the system leaves the verdict as it is."""
    assert check(Machine(interruptions_s=[0.0, 0.01])).ok


def test_every_trial_uses_a_fresh_array() -> None:
    """An array that was evaluated before costs nothing, so none is used twice."""
    machine = Machine()
    check(machine)
    assert machine.submitted == list(range(1, fence.TRIALS + 1))


def test_a_submission_too_short_for_the_clock_keeps_the_ratio_finite() -> None:
    """The ratio goes into documents, which hold no Infinity."""
    result = check(Machine(submit_s=0.0))
    assert result.ok
    assert result.ratio == pytest.approx(0.012 / fence.SHORTEST_S)


@given(
    work_s=st.floats(1e-3, 1.0),
    submit_share=st.floats(0.0, 2.0),
    fence_share=st.floats(0.0, 1.0),
)
@settings(deadline=None)
def test_only_a_fence_that_waits_for_most_of_the_work_passes(
    work_s: float, submit_share: float, fence_share: float
) -> None:
    """For any device a pass means that next to nothing was left, and a failure has a sentence."""
    machine = Machine(work_s, work_s * submit_share, fence_share)
    result = check(machine)
    assert result.ok == (result.problem is None)
    if result.ok:
        assert result.after_s <= 0.1 * result.complete_s
        assert result.complete_s >= 5 * result.dispatch_s
