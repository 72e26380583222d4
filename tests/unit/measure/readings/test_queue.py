"""Messages behind a hold: every call is timed, and the first one that blocks is found."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.measure.readings.queue import take_queue
from placement_cli.measure.rig import Rig

HOLD_S = 0.1


def stalling_rig(stand: Any, stall: int, call_s: float = 1e-4) -> Rig:
    """Return a rig whose call number `stall` waits until the hold is over; 0: none does."""
    began = stand.clock.time_s
    calls = []

    def run(messages: Any) -> tuple[Any, ...]:
        calls.append(messages)
        stand.clock.advance(call_s)
        if len(calls) == stall:
            stand.clock.time_s = max(stand.clock.time_s, began + HOLD_S)
        return (f"out {len(calls)}",)

    return Rig(run, {}, stand.device, [], [])


def hold_until_done(stand: Any) -> None:
    """Let evaluating the hold last until it is over."""
    stand.device.costs_s = {"evaluate": HOLD_S}


def test_the_hold_is_submitted_before_the_messages(stand: Any) -> None:
    """It is the first thing on the device, and it is waited for before the clock stops."""
    hold_until_done(stand)
    sample = take_queue(stalling_rig(stand, 0), range(5), lambda: "held", HOLD_S, stand.instruments)
    assert stand.device.named("submit") == [("held",)]
    assert ("held",) in stand.device.named("evaluate")
    assert sample.complete_s >= HOLD_S


@pytest.mark.parametrize("stall", [1, 2, 17, 40])
def test_the_stalling_call_is_found(stand: Any, stall: int) -> None:
    """The number of the call that waited for the hold is reported, and every call's time."""
    hold_until_done(stand)
    sample = take_queue(stalling_rig(stand, stall), range(40), lambda: "held", HOLD_S, stand.instruments)
    assert sample.stall_call == stall
    assert len(sample.call_s) == 40
    assert max(sample.call_s) == sample.call_s[stall - 1]


def test_no_stall_is_zero(stand: Any) -> None:
    """Where every call returns at once there is no stalling call."""
    hold_until_done(stand)
    sample = take_queue(stalling_rig(stand, 0), range(40), lambda: "held", HOLD_S, stand.instruments)
    assert sample.stall_call == 0
    assert sample.dispatch_s == pytest.approx(40e-4)


def test_a_hold_that_was_shorter_this_time_still_shows_the_stall(stand: Any) -> None:
    """A stall is judged against the time the device was really held, not against a longer one measured before."""
    sample = take_queue(stalling_rig(stand, 8), range(20), lambda: "held", 10 * HOLD_S, stand.instruments)
    assert sample.stall_call == 8
