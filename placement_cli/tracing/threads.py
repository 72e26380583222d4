"""What is known of one thread of the program while it runs."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from placement_cli.tracing.clocks import Clocks
from placement_cli.tracing.point import Point
from placement_cli.tracing.streams import Streams

WINDOW_OPS = 256
"""Operations that are recorded whole at the start of a thread."""
SEARCH_OPS = 256
"""Operations that are recorded whole to learn where a growing variable is built."""
LATER_WINDOWS = ((500_000_000, 512), (3_000_000_000, 2048), (15_000_000_000, 4096))
"""Nanoseconds after which another window is recorded, of so many operations: when the program has warmed up, and so
that recording, at some microseconds each, takes less than a percent of the time."""
STATES_AT_MOST, ALIKE_AT_MOST = 64, 4
"""Threads that are told apart, in all and with names that differ in their numbers alone; of more, those that begin go
on with the sums of those that have ended."""
STRIDES = (23, 29, 31, 37, 41)
"""Outside of windows one in so many operations is looked at, by turns: a loop falls into step with none of them."""


class ThreadState:
    """The counters of one thread; only that thread changes them.

    `default` is the name of its default stream once that is known, `named` counts operations that name a stream, `away`
    is what looking closely took since the last point.
    """

    def __init__(self, name: str, ident: int, at: int) -> None:
        self.name, self.ident = name, ident
        self.default, self.has_default, self.named, self.unnamed = "", False, 0, 0
        self.inside = False
        self.alert = False
        self.tracing = 0
        self.ops = 0
        self.detail_at = self.detailed = 0
        self.window_left = WINDOW_OPS
        self.later = [(at + after, ops) for after, ops in LATER_WINDOWS]
        self.points: dict[tuple[int, int, str], Point] = {}
        self.places: dict[tuple[int, str], Point] = {}
        self.clocks = Clocks()
        self.streams = Streams()
        self.after: dict[int, list[int]] = {}
        self.last_point = -1
        self.last_end = at
        self.away = 0
        self.ran_at_end = 0
        self.calls = 0
        self.ops_at_point = 0
        self.last_ids: tuple[int, ...] = ()
        self.builds: dict[int, Build] = {}
        self.submissions = 0
        self.waits = 0
        self.here: weakref.ref[Here] | None = None

    def built_here(self) -> bool:
        """Tell whether operations that name no stream were built since this was asked: they go to the current one."""
        before, self.unnamed = self.unnamed, self.ops - self.named
        return self.unnamed > before

    @property
    def is_over(self) -> bool:
        """Whether the thread has ended."""
        return self.here is not None and self.here() is None

    def taken_over(self, ident: int, at: int) -> None:
        """Let another thread, that begins now, go on with the sums of one that has ended."""
        self.ident, self.here = ident, None
        self.has_default, self.named, self.unnamed = False, self.ops, 0
        self.inside = self.alert = False
        self.tracing = 0
        self.window_left = 0
        self.after, self.last_ids = {}, ()
        self.last_end, self.ran_at_end, self.ops_at_point = at, 0, self.ops
        self.away = 0
        self.clocks.restart()
        self.streams.restart()


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


class Here:
    """Is there as long as the thread whose own it is."""


BUSY = ThreadState("", 0, 0)
"""Stands for the state of a thread while that is made: what Python runs in between is not recorded."""
BUSY.inside = True


class Local(threading.local):
    """The state of the running thread, made when it is first asked for."""

    state = BUSY

    def __init__(self, make: Callable[[str, int], Any]) -> None:
        ident = threading.get_ident()
        self.state = make(thread_name(ident), ident)


def ended_of(states: list[ThreadState], name: str) -> ThreadState | None:
    """Return the state of an ended thread that one called `name` goes on with; None where it gets one of its own.

    Threads that a program starts for each message are alike, and more than can be told apart.
    """
    alike = [state for state in states if unnumbered(state.name) == unnumbered(name)]
    wanted = alike if len(alike) >= ALIKE_AT_MOST else []
    wanted = wanted or (states if len(states) >= STATES_AT_MOST else [])
    return next((state for state in wanted if state.is_over), None)


def unnumbered(name: str) -> str:
    """Return the name of a thread without what tells it from others of its kind: `Thread-7 (work)`."""
    return "".join(each for each in name if not each.isdigit())


def thread_name(ident: int) -> str:
    """Return the name of a thread without making one up for it, as asking for the current thread would."""
    known = threading._active.get(ident)  # type: ignore[attr-defined]  # Asking by name would register the thread.
    return known.name if known is not None else f"thread {ident}"
