"""Messages behind work that holds the device: at which call does submitting start to wait?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from placement_cli.measure.readings.instruments import Instruments, close_window, open_window
from placement_cli.measure.rig import Rig
from placement_cli.measure.sample import Sample
from placement_cli.statistics.knee import knee


def take_queue(
    rig: Rig, messages: Sequence[Any], hold: Callable[[], Any], hold_s: float, instruments: Instruments
) -> Sample:
    """Submit work that takes about `hold_s` seconds, then time the submission of each message behind it.

    `stall_call` of the sample is the number of the first call that blocked, 0 when none did.
    """
    now, device = instruments.clock.now, instruments.device
    calls: list[float] = []
    start = open_window(instruments)
    began = now()
    held = hold()
    device.submit(held)
    for message in messages:
        before = now()
        rig.feed((message,))
        calls.append(now() - before)
    dispatched = now()
    rig.finish()
    device.evaluate(held)
    completed = now()
    sample = close_window(instruments, start, len(messages), dispatched - began, completed - began)
    rig.let_go()
    held_s = min(hold_s, completed - began)
    return replace(sample, call_s=calls, stall_call=knee(calls, held_s) or 0)
