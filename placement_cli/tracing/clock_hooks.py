"""What is put around clocks, and around NumPy's ways to the values of an array."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from placement_cli.tracing.guard import guarded
from placement_cli.tracing.patches import Make, Patches
from placement_cli.tracing.places import caller
from placement_cli.tracing.recorder import Recorder

CLOCKS = ("perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time", "time_ns")


def hook_clocks(recorder: Recorder, patches: Patches) -> None:
    """Put hooks around the clocks of `time`, and of `timeit` if it is there."""
    for name in CLOCKS:
        patches.replace(time, name, _clock(recorder, name))
    timeit = sys.modules.get("timeit")
    if timeit is not None:
        patches.replace(timeit, "default_timer", _clock(recorder, "perf_counter"))


def _clock(recorder: Recorder, name: str) -> Make:
    def make(original: Callable[[], Any]) -> Callable[[], Any]:
        def clock() -> Any:
            now = original()
            if recorder.core is not None:
                read(recorder, caller(), name)
            return now

        return clock

    return make


@guarded
def read(recorder: Recorder, frame: FrameType | None, name: str) -> None:
    """Note a read of a clock."""
    if frame is not None:
        recorder.read_clock(frame, name)
