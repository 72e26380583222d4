"""Which streams a thread has submitted work to, and whether a synchronize covers them."""

from __future__ import annotations

from dataclasses import dataclass

from placement_cli.tracing.raw import Place, RawMiss

MISSES_AT_MOST = 256
"""Streams have new names where a program makes them as it runs."""
DEFAULT = ""
"""Stands for the default stream of the thread."""


@dataclass(slots=True)
class Miss:
    """Calls of synchronize at one place that left one stream at work."""

    place: int
    synchronized: str
    uncovered: str
    count: int = 0
    waited: int = 0
    then_blocked: int = 0
    then_longest: int = -1
    then: int = -1


class Streams:
    """The streams of one thread: those entered, used, submitted to, and not yet waited for."""

    def __init__(self) -> None:
        self._entered: list[str] = []
        self._used: set[str] = set()
        self._submitted: set[str] = set()
        self._held: tuple[int, str, int] | None = None
        self._open: dict[str, Miss] = {}
        self.misses: dict[tuple[int, str], Miss] = {}

    def enter(self, stream: str) -> None:
        """A `with mx.stream(...)` begins."""
        self._entered.append(stream)
        self._used.add(stream)

    def leave(self) -> None:
        """A `with mx.stream(...)` ends."""
        if self._entered:
            self._entered.pop()

    def use(self, stream: str) -> None:
        """An operation is built on a stream that it names."""
        self._used.add(stream)

    def current(self) -> str:
        """Return the stream that operations go to which name none."""
        return self._entered[-1] if self._entered else DEFAULT

    def submit(self, *, here: bool = True) -> None:
        """What was built is submitted: the program goes on, and a stream left at work may be meant to be.

        `here` says whether operations were built that go to the current stream.
        """
        self._held = None
        self._submitted |= self._used | ({self.current()} if here else set())
        self._used = {self.current()} - {DEFAULT}

    def synchronize(self, place: int, stream: str, waited: int) -> None:
        """Wait for one stream: when others are at work, that may be a mistake, unless they are waited for next."""
        self._submitted.discard(stream)
        if not self._submitted:
            self._held = None
        elif self._held is None:
            self._held = (place, stream, waited)

    def commit(self) -> None:
        """A clock was read or memory counted: what synchronize left uncovered falsifies it."""
        if self._held is None:
            return
        (place, stream, waited), self._held = self._held, None
        for uncovered in self._submitted:
            key = (place, uncovered)
            if key not in self.misses and len(self.misses) >= MISSES_AT_MOST:
                continue
            miss = self.misses.setdefault(key, Miss(place, stream, uncovered))
            miss.count += 1
            miss.waited += waited
            self._open[uncovered] = miss

    def waited(self, place: int, blocked: int) -> None:
        """Values were waited for: they tell how long the uncovered stream was still at work."""
        self._held = None
        # One wait, however often the stream was missed before it.
        for miss in self._open.values():
            miss.then_blocked += blocked
            if blocked > miss.then_longest:
                miss.then_longest, miss.then = blocked, place
        self._open.clear()
        self._submitted.clear()
        self._used.clear()

    def restart(self) -> None:
        """Forget what is at work: another thread goes on with these sums."""
        self.commit()
        self._entered.clear()
        self._used.clear()
        self._submitted.clear()
        self._open.clear()

    def raw(self, known: list[Place], thread: str, default: str, *, ended: bool = True) -> list[RawMiss]:
        """Return every synchronize that left a stream at work; `default` is the name of the default stream.

        Before the program has `ended`, the last one may be made up for by the next.
        """
        if ended:
            self.commit()
        return [
            RawMiss(
                known[each.place],
                thread,
                each.synchronized or default,
                each.uncovered or default,
                each.count,
                each.waited / 1e9,
                each.then_blocked / 1e9,
                known[each.then] if each.then >= 0 else None,
            )
            for each in list(self.misses.values())
        ]
