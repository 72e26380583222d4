"""Messages that arrive at a fixed rate: the latency of each, and how long the host was idle.

A message arrives when it is due, or, when the source was waiting for it, when the source woke up: the slack of the
operating system's timer is no latency of the pipeline, a backlog is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from placement_cli.device.clock import Clock
from placement_cli.graph.mode import Mode, ModeKind
from placement_cli.measure.readings.instruments import Instruments, close_window, open_window
from placement_cli.measure.rig import Rig
from placement_cli.measure.sample import Sample

_Waiting = deque[tuple[float, tuple[Any, ...]]]
"""Messages whose values are not read yet, oldest first: when each came, and its sinks."""


def take_paced(
    rig: Rig,
    messages: Sequence[Any],
    rate: float,
    modes: Sequence[Mode],
    read: Callable[[Any], object],
    instruments: Instruments,
) -> Sample:
    """Feed `messages` at `rate` a second and read every message's values as soon as the points offer them.

    `modes` are those of the points at the sinks, `read` waits for the values of one sink. With `window:K` a message's
    values are read when the window has waited for it, K messages later; with `every:K` at the K-th message; otherwise
    at once. Where sinks differ a message is read when the last of them is offered.
    """
    clock, period = instruments.clock, 1.0 / rate
    waiting: _Waiting = deque()
    latency_s: list[float] = []
    busy_s = 0.0
    start = open_window(instruments)
    began = clock.now()
    for index, message in enumerate(messages):
        arrived = _arrival(clock, began + index * period)
        started = clock.now()
        rig.feed((message,))
        waiting.append((arrived, rig.last))
        latency_s.extend(_read_oldest(waiting, read, clock) for _ in range(_ready(modes, index, len(waiting))))
        busy_s += clock.now() - started
    dispatched = clock.now()
    while waiting:
        latency_s.append(_read_oldest(waiting, read, clock))
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


def _arrival(clock: Clock, due: float) -> float:
    """Wait until `due`; return the moment the message is there."""
    now = clock.now()
    if now >= due:
        return due
    clock.sleep(due - now)
    return clock.now()


def _read_oldest(waiting: _Waiting, read: Callable[[Any], object], clock: Clock) -> float:
    """Wait for the values of the message that came first; return its latency."""
    came, sinks = waiting.popleft()
    for sink in sinks:
        read(sink)
    return clock.now() - came


def _ready(modes: Sequence[Mode], index: int, waiting: int) -> int:
    """How many waiting messages offer all their values after message `index` (from 0) was fed."""
    return max(0, waiting - max((_withheld(mode, index) for mode in modes), default=0))


def _withheld(mode: Mode, index: int) -> int:
    """How many of the newest messages do not offer the values of a sink with `mode` yet."""
    if mode.kind is ModeKind.WINDOW:
        return mode.depth
    return (index + 1) % mode.depth if mode.kind is ModeKind.EVERY else 0
