"""Messages back to back, then the fence: the time of a batch and the bytes it keeps in flight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from placement_cli.measure.readings.instruments import Instruments, close_window, open_window
from placement_cli.measure.rig import Rig
from placement_cli.measure.sample import Sample


def take_stream(rig: Rig, messages: Sequence[Any], instruments: Instruments) -> Sample:
    """Feed `messages` at once; *dispatch* ends with the last call, *complete* when all values are there."""
    now = instruments.clock.now
    start = open_window(instruments)
    began = now()
    rig.feed(messages)
    dispatched = now()
    host_cpu_s = instruments.host_cpu() - start.host_cpu_s
    rig.finish()
    completed = now()
    sample = close_window(instruments, start, len(messages), dispatched - began, completed - began)
    rig.let_go()
    return replace(sample, host_cpu_s=host_cpu_s)
