"""Ctrl-C: the first one lets the block in hand finish, the second one ends at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType


class Interrupt:
    """Remembers that the user asked to stop."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.requested = False

    def handle(self, _signal: int, _frame: FrameType | None) -> None:
        """Note the first signal; raise KeyboardInterrupt at the second."""
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
        # The signal may have come in the middle of a write to the same stream, which does not allow another one.
        with suppress(RuntimeError):
            self._tell("Stopping after this block; its results are kept. Ctrl-C again ends at once.")


@contextmanager
def graceful_interrupts(tell: Callable[[str], None]) -> Iterator[Interrupt]:
    """Handle SIGINT and SIGTERM gracefully inside the block; `tell` is called when the first one arrives."""
    interrupt = Interrupt(tell)
    before = {number: signal.signal(number, interrupt.handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interrupt
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
