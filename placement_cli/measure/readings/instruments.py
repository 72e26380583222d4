"""The instruments every reading uses: clock, memory counters and page faults around a timed stretch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from placement_cli.device.clock import Clock
from placement_cli.device.interface import Device
from placement_cli.measure.sample import Sample


@dataclass(frozen=True, slots=True)
class Instruments:
    """What a reading reads: the device, the clock, the process's minor page faults, this thread's CPU seconds."""

    device: Device
    clock: Clock
    page_faults: Callable[[], int]
    host_cpu: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Start:
    """The counters just before the clock started."""

    active_bytes: int
    page_faults: int
    host_cpu_s: float


def open_window(instruments: Instruments) -> Start:
    """Synchronise every stream and note the counters; the clock may start right after."""
    device = instruments.device
    device.synchronize()
    device.reset_peak()
    return Start(device.memory().active_bytes, instruments.page_faults(), instruments.host_cpu())


def close_window(instruments: Instruments, start: Start, messages: int, dispatch_s: float, complete_s: float) -> Sample:
    """Read the counters after the clock stopped and return the sample."""
    memory = instruments.device.memory()
    peak = max(memory.peak_bytes, memory.active_bytes)
    return Sample(
        messages=messages,
        dispatch_s=dispatch_s,
        complete_s=complete_s,
        in_flight_bytes=max(0, peak - start.active_bytes),
        peak_bytes=peak,
        active_bytes=memory.active_bytes,
        cache_bytes=memory.cache_bytes,
        page_faults=instruments.page_faults() - start.page_faults,
    )
