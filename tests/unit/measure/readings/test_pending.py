"""What piles up message by message, and what evaluating the rest costs."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.device.interface import MemoryReading
from placement_cli.measure.readings.pending import take_pending


def test_pending_is_counted_after_every_message(stand: Any) -> None:
    """Ops behind the newest sinks and the states, and bytes above the start, stand beside each message."""
    readings = [100, 150, 90, 400, 100]
    stand.device.memory_script = [MemoryReading(active, active, 0) for active in readings]
    stand.device.pending_script = [3, 6, 9]
    sample = take_pending(stand.rig, [1, 2, 3], stand.instruments)
    assert sample.pending_ops == [3, 6, 9]
    assert sample.pending_bytes == [50, 0, 300]
    assert stand.device.named("pending_ops") == [(f"out {number}", "state") for number in (1, 2, 3)]


def test_counting_stands_outside_the_clock(stand: Any) -> None:
    """However long counting takes, no time of the sample grows."""
    stand.device.costs_s = {"pending_ops": 1.0, "memory": 1.0}
    sample = take_pending(stand.rig, [1, 2], stand.instruments)
    assert sample.complete_s == pytest.approx(0.002)


def test_each_message_is_timed_to_the_idle_device(stand: Any) -> None:
    """A call ends when it returns, the message when the device is idle, the sample with the final evaluation."""
    stand.device.costs_s = {"synchronize": 0.01, "evaluate": 0.5}
    sample = take_pending(stand.rig, [1, 2], stand.instruments)
    assert sample.call_s == pytest.approx([0.001, 0.001])
    assert sample.latency_s == pytest.approx([0.011, 0.011])
    assert sample.finish_s == pytest.approx(0.51)
    assert sample.dispatch_s == pytest.approx(0.002)
    assert sample.complete_s == pytest.approx(0.022 + 0.51)


def test_nothing_is_held_afterwards(stand: Any) -> None:
    """The next sample begins without outputs of this one."""
    take_pending(stand.rig, [1], stand.instruments)
    assert stand.rig.last == ()
