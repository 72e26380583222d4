"""A few messages, the fence, and again: what building and submitting cost the host when no queue is full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from placement_cli.measure.readings.instruments import Instruments, close_window, open_window
from placement_cli.measure.rig import Rig
from placement_cli.measure.sample import Sample

BURST_MESSAGES = 8
"""Messages of a burst where half the device's queue holds as many; otherwise what it holds."""


def take_bursts(rig: Rig, messages: Sequence[Any], burst: int, evaluates: bool, instruments: Instruments) -> Sample:
    """Feed `messages` in bursts of `burst`; times are sums over the bursts.

    An arm that evaluates nothing is fenced with nothing to wait for: its graph is dropped, and *complete* equals
    *dispatch*. The states it carries are evaluated when the clock stands still: they would grow from burst to
    burst. No burst is fenced twice: the longer a device's thread sleeps, the dearer it is to wake for the next one.
    """
    now, synchronize = instruments.clock.now, instruments.device.synchronize
    dispatch_s = complete_s = 0.0
    start = open_window(instruments)
    for first in range(0, len(messages), burst):
        some = messages[first : first + burst]
        began = now()
        rig.feed(some)
        dispatched = now()
        if evaluates:
            rig.finish()
        completed = now() if evaluates else dispatched
        dispatch_s += dispatched - began
        complete_s += completed - began
        if not evaluates:
            instruments.device.evaluate(*rig.states())
            synchronize()
    sample = close_window(instruments, start, len(messages), dispatch_s, complete_s)
    rig.let_go()
    return sample
