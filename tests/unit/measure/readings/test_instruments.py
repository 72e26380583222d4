"""The counters around a timed stretch: what is above the start, never below zero."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.device.interface import MemoryReading
from placement_cli.measure.readings.instruments import Start, close_window, open_window


def test_opening_fences_before_the_counters(stand: Any) -> None:
    """Every stream is idle and the peak is new before the counters are read, and no clock runs yet."""
    stand.device.memory_script = [MemoryReading(700, 900, 5)]
    stand.faults, stand.host_cpu_s = 11, 2.5
    assert open_window(stand.instruments) == Start(700, 11, 2.5)
    assert stand.log == ["synchronize", "reset_peak", "memory"]


@pytest.mark.parametrize(
    ("end", "peak", "in_flight"),
    [
        (MemoryReading(700, 1500, 40), 1500, 800),
        (MemoryReading(1600, 1500, 40), 1600, 900),
        (MemoryReading(100, 200, 40), 200, 0),
    ],
)
def test_closing_reads_what_came_on_top(stand: Any, end: MemoryReading, peak: int, in_flight: int) -> None:
    """In flight is the peak above what was active at the start, where the peak is at least what is active now."""
    stand.device.memory_script = [end]
    stand.faults = 20
    sample = close_window(stand.instruments, Start(700, 11, 0.0), 4, 0.25, 0.5)
    assert (sample.messages, sample.dispatch_s, sample.complete_s) == (4, 0.25, 0.5)
    assert (sample.peak_bytes, sample.in_flight_bytes) == (peak, in_flight)
    assert (sample.active_bytes, sample.cache_bytes) == (end.active_bytes, 40)
    assert sample.page_faults == 9
