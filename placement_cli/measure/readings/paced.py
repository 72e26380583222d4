"""Messages that arrive at a fixed rate: the latency of each, and how long the host was idle.

A message arrives when it is due, or, when the source was waiting for it, when the source woke up: the slack of the
operating system's timer is no latency of the pipeline, a backlog is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from placement_cli.measure.readings.instruments import Instruments, close_window, open_window
from placement_cli.measure.rig import Rig
from placement_cli.measure.sample import Sample
from placement_cli.measure.specs import Arm, ArmMode


def take_paced(
    rig: Rig,
    messages: Sequence[Any],
    rate: float,
    arm: Arm,
    read: Callable[[tuple[Any, ...]], None],
    instruments: Instruments,
) -> Sample:
    """Feed `messages` at `rate` a second and read every message's values as soon as the arm's mode offers them.

    `read` turns the sinks of one message into values. With `window:K` a message's values are read when the
    window has waited for it, K messages later; with `every:K` at the K-th message; otherwise at once.
    """
    clock, period = instruments.clock, 1.0 / rate
    waiting: deque[tuple[float, tuple[Any, ...]]] = deque()
    latency_s: list[float] = []
    busy_s = 0.0
    start = open_window(instruments)
    began = clock.now()
    for index, message in enumerate(messages):
        arrived = _arrival(clock, began + index * period)
        started = clock.now()
        rig.feed((message,))
        waiting.append((arrived, rig.last))
        for _ in range(_ready(arm, index, len(waiting))):
            came, values = waiting.popleft()
            read(values)
            latency_s.append(clock.now() - came)
        busy_s += clock.now() - started
    dispatched = clock.now()
    while waiting:
        came, values = waiting.popleft()
        read(values)
        latency_s.append(clock.now() - came)
    rig.finish()
    completed = clock.now()
    sample = close_window(instruments, start, len(messages), dispatched - began, completed - began)
    rig.let_go()
    return replace(
        sample,
        latency_s=latency_s,
        free_share=max(0.0, 1.0 - busy_s / (len(messages) * period)),
        missed=sum(latency > period for latency in latency_s),
    )


def _arrival(clock: Any, due: float) -> float:
    """Wait until `due`; return the moment the message is there."""
    now: float = clock.now()
    if now >= due:
        return due
    clock.sleep(due - now)
    woke: float = clock.now()
    return woke


def _ready(arm: Arm, index: int, waiting: int) -> int:
    """How many waiting messages offer their values after message `index` (from 0) was fed."""
    if arm.mode is ArmMode.WINDOW:
        return max(0, waiting - arm.depth)
    if arm.mode is ArmMode.EVERY:
        return waiting if (index + 1) % arm.depth == 0 else 0
    return waiting
