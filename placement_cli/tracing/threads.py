"""What is known of one thread of the program while it runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from placement_cli.tracing.clocks import Clocks
from placement_cli.tracing.point import Point
from placement_cli.tracing.streams import Streams

WINDOW_OPS = 512
"""Operations that are recorded whole at the start of a thread."""
SEARCH_OPS = 256
"""Operations that are recorded whole to learn where a growing variable is built."""
LATER_WINDOWS = ((300_000_000, 512), (2_000_000_000, 2048), (10_000_000_000, 4096))
"""Nanoseconds after which another window is recorded, of so many operations: when the program has warmed up, and so
that recording takes a percent of the time."""
STRIDE = 32
"""Outside of windows every 32nd operation is looked at."""


class ThreadState:
    """The counters of one thread; only that thread changes them.

    `default` is the name of its default stream once that is known, `named` counts operations that name a stream.
    """

    def __init__(self, name: str, ident: int, at: int) -> None:
        self.name, self.ident = name, ident
        self.default, self.has_default, self.named = "", False, 0
        self.inside = False
        self.alert = False
        self.tracing = 0
        self.ops = 0
        self.detail_at = 0
        self.window_left = WINDOW_OPS
        self.later = [(at + after, ops) for after, ops in LATER_WINDOWS]
        self.points: dict[tuple[int, int, str], Point] = {}
        self.places: dict[tuple[int, str], Point] = {}
        self.clocks = Clocks()
        self.streams = Streams()
        self.after: dict[int, list[int]] = {}
        self.last_point = -1
        self.last_end = at
        self.ran_at_end = 0
        self.calls = 0
        self.ops_at_point = 0
        self.last_ids: tuple[int, ...] = ()
        self.builds: dict[int, Build] = {}
        self.submissions = 0
        self.waits = 0


class Build:
    """Operations built at one place, estimated from a sample where `sampled`."""

    __slots__ = ("names", "ops", "sampled")

    def __init__(self) -> None:
        self.ops = 0
        self.sampled = False
        self.names: dict[str, int] = {}

    def add(self, name: str, weight: int) -> None:
        """Count an operation that stands for `weight`."""
        self.ops += weight
        self.sampled = self.sampled or weight > 1
        self.names[name] = self.names.get(name, 0) + weight


class Local(threading.local):
    """The state of the running thread, made when it is first asked for."""

    def __init__(self, make: Callable[[str, int], Any]) -> None:
        ident = threading.get_ident()
        self.state = make(thread_name(ident), ident)


def thread_name(ident: int) -> str:
    """Return the name of a thread without making one up for it, as asking for the current thread would."""
    known = threading._active.get(ident)  # type: ignore[attr-defined]
    return known.name if known is not None else f"thread {ident}"
