"""What is added up for one evaluation point, call by call."""

from __future__ import annotations

from typing import Any

from placement_cli.tracing.arguments import receiver
from placement_cli.tracing.raw import EVALUATING_KINDS, WAITING_KINDS, Place, RawPoint

FIRST_DURATIONS = 256
"""Calls whose duration is kept one by one; of later ones an even sample of as many."""
SIZES_AT_MOST = 64
RECEIVERS_AT_MOST = 4
CHECKED_FIRST, CHECK_MASK = 32, 15
"""What a call is given is counted in the first calls, then in every 16th: asking MLX whether an array is lazy takes
some microseconds."""


class Point:
    """Sums over the calls of one kind at one place in one thread; durations in nanoseconds."""

    __slots__ = (
        "after",
        "arrays",
        "blocked",
        "bytes",
        "call",
        "checked",
        "clocked",
        "count",
        "counted",
        "durations",
        "empty",
        "evaluates",
        "failed",
        "first",
        "first_at",
        "host_before",
        "host_ran",
        "host_timed",
        "index",
        "kind",
        "last_at",
        "longest",
        "looked_after",
        "loop_blocked",
        "ops_before",
        "pending",
        "place",
        "receivers",
        "sampled",
        "sizes",
        "stream",
        "stride",
        "thread",
        "waits",
        "zero_size",
    )

    def __init__(self, index: int, kind: str, call: str, place: int, thread: str, stream: str, at: int) -> None:
        self.index, self.kind, self.call, self.place = index, kind, call, place
        self.thread, self.stream = thread, stream
        self.waits, self.evaluates = kind in WAITING_KINDS, kind in EVALUATING_KINDS
        self.count = self.blocked = self.first = self.longest = 0
        self.first_at = self.last_at = at
        self.durations: list[int] = []
        self.sampled: list[int] = []
        self.stride = 1
        self.arrays: list[int] = []
        self.bytes = self.counted = 0
        self.failed = self.empty = self.zero_size = self.checked = self.pending = self.clocked = 0
        self.ops_before = self.host_before = self.host_ran = self.host_timed = self.loop_blocked = 0
        self.sizes: set[int] = set()
        self.after: dict[int, list[int]] = {}
        self.receivers: set[str] = set()
        self.looked_after = False

    def sample(self, duration: int) -> None:
        """Keep the duration of one in `stride` calls after the first ones."""
        self.sampled.append(duration)
        if len(self.sampled) == FIRST_DURATIONS:
            self.sampled = self.sampled[::2]
            self.stride *= 2

    def received(self, arrays: int, size: int) -> None:
        """Add what one call received: arrays and their bytes."""
        self.counted += 1
        self.bytes += size
        if len(self.arrays) < FIRST_DURATIONS:
            self.arrays.append(arrays)
        if not arrays:
            self.empty += 1
        elif not size:
            self.zero_size += 1
        if len(self.sizes) < SIZES_AT_MOST:
            self.sizes.add(size)

    def receivers_of(self, given: tuple[Any, ...], array: type) -> None:
        """Describe what a call was given in which MLX finds no array."""
        if len(self.receivers) < RECEIVERS_AT_MOST:
            self.receivers.add(receiver(given, array))

    def raw(self, place: Place, origin: int, default: str) -> RawPoint:
        """Return what was seen, counts of some calls extended to all; `default` names the thread's own stream."""
        share = self.count / self.counted if self.counted else 0.0
        arrays = sorted(self.arrays)
        return RawPoint(
            self.kind,
            self.call,
            place,
            self.thread,
            self.stream or default,
            self.count,
            self.blocked / 1e9,
            self.first / 1e9,
            self.longest / 1e9,
            tuple(duration / 1e9 for duration in (*self.durations, *self.sampled)),
            arrays[len(arrays) // 2] if arrays else 0,
            round(self.bytes * share),
            self.first_at / 1e9,
            (self.last_at - origin) / 1e9,
            self.failed,
            round(self.empty * share),
            round(self.zero_size * share),
            self.checked,
            self.pending,
            self.ops_before,
            self.host_before / 1e9,
            len(self.sizes),
            self.clocked,
            self.loop_blocked / 1e9,
            min(1.0, self.host_ran / self.host_timed) if self.host_timed else 1.0,
            tuple(sorted(self.receivers)),
        )
