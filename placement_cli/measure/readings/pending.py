"""Messages with the ops and bytes still pending after each, then the cost of evaluating what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from placement_cli.measure.readings.instruments import Instruments, close_window, open_window
from placement_cli.measure.rig import Rig
from placement_cli.measure.sample import Sample


def take_pending(rig: Rig, messages: Sequence[Any], instruments: Instruments) -> Sample:
    """Feed `messages` one by one; counting pending ops and bytes stands outside the clock.

    `dispatch_s` is the sum over the messages, `complete_s` adds the final evaluation, `latency_s` holds each
    message's own time up to the device being idle, and the final evaluation is `finish_s`.
    """
    now, device = instruments.clock.now, instruments.device
    call_s: list[float] = []
    latency_s: list[float] = []
    ops: list[int] = []
    bytes_: list[int] = []
    start = open_window(instruments)
    for message in messages:
        began = now()
        rig.feed((message,))
        call_s.append(now() - began)
        device.synchronize()
        latency_s.append(now() - began)
        ops.append(device.pending_ops(*rig.last, *rig.states()))
        bytes_.append(max(0, device.memory().active_bytes - start.active_bytes))
    began = now()
    rig.finish()
    finish_s = now() - began
    dispatch_s, complete_s = sum(call_s), sum(latency_s) + finish_s
    sample = close_window(instruments, start, len(messages), dispatch_s, complete_s)
    rig.let_go()
    return replace(
        sample,
        call_s=call_s,
        latency_s=latency_s,
        pending_ops=ops,
        pending_bytes=bytes_,
        finish_s=finish_s,
    )
