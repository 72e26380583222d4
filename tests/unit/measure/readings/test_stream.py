"""Messages back to back: two readings of the clock, one fence before and one inside."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.device.interface import MemoryReading
from placement_cli.measure.readings.stream import take_stream


def test_fence_and_counters_come_before_the_clock(stand: Any) -> None:
    """Everything is idle and noted before the clock starts, and read again only after it stopped."""
    take_stream(stand.rig, [1, 2, 3], stand.instruments)
    assert stand.log == [
        "synchronize",
        "reset_peak",
        "memory",
        "now",
        "feed 3",
        "now",
        "evaluate",
        "synchronize",
        "now",
        "memory",
    ]


def test_dispatch_ends_with_the_last_call_and_complete_with_the_fence(stand: Any) -> None:
    """Three messages of 1 ms are dispatched in 3 ms; evaluating and fencing make them complete."""
    stand.device.costs_s = {"evaluate": 0.02, "synchronize": 0.03}
    sample = take_stream(stand.rig, [1, 2, 3], stand.instruments)
    assert sample.messages == 3
    assert sample.dispatch_s == pytest.approx(0.003)
    assert sample.complete_s == pytest.approx(0.053)


def test_counters_cost_no_time(stand: Any) -> None:
    """However long reading the counters takes, it is no part of the sample."""
    stand.device.costs_s = {"memory": 1.0, "reset_peak": 1.0}
    assert take_stream(stand.rig, [1], stand.instruments).complete_s == pytest.approx(0.001)


def test_bytes_and_faults_and_cpu_are_of_the_batch(stand: Any) -> None:
    """In flight counts from what was active before, faults and CPU time from where they stood."""
    stand.faults, stand.host_cpu_s = 5, 1.0
    stand.device.memory_script = [MemoryReading(100, 100, 0), MemoryReading(150, 400, 7)]
    sample = take_stream(stand.rig, [1, 2], stand.instruments)
    assert (sample.in_flight_bytes, sample.peak_bytes, sample.cache_bytes) == (300, 400, 7)
    assert sample.page_faults == 2
    assert sample.host_cpu_s == pytest.approx(0.001)


def test_everything_left_is_evaluated_and_then_let_go(stand: Any) -> None:
    """Held outputs, the newest sinks and the states are evaluated in one call; afterwards nothing is held."""
    stand.rig.held[0] += ["kept 1", "kept 2"]
    take_stream(stand.rig, [1, 2], stand.instruments)
    assert stand.device.named("evaluate") == [("kept 1", "kept 2", "out 2", "state")]
    assert stand.rig.kept == []
    assert stand.rig.last == ()
