"""Signals that reach this process while a person's program runs: the program gets each of them once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Signals that a program may have an answer to."""
FROM_KEYS = frozenset({signal.SIGINT, signal.SIGQUIT})
"""Signals that a terminal sends to all processes in its foreground."""


def in_foreground() -> bool:
    """Tell whether this process is in the foreground of a terminal, whose keys then signal the program, too."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


class PassingOn:
    """Hands signals to the program, once it is known how (`to`); those that come before are kept until then.

    The first one that looks as if a key had sent it is not handed on, since the program has it as well. That cannot be
    told from a signal that was meant for this process alone, so whoever sends another one is believed.
    """

    def __init__(self, foreground: Callable[[], bool] = in_foreground) -> None:
        self._foreground = foreground
        self._send: Callable[[int], None] | None = None
        self._early: list[int] = []
        self._seen: set[int] = set()

    def to(self, send: Callable[[int], None]) -> None:
        """Hand on with `send` from now on, and what came before at once."""
        self._send = send
        while self._early:
            send(self._early.pop(0))

    def handle(self, number: int, _frame: FrameType | None) -> None:
        """Hand a signal on."""
        first = number not in self._seen
        self._seen.add(number)
        if first and number in FROM_KEYS and self._foreground():
            return
        if self._send is None:
            self._early.append(number)
        else:
            self._send(number)


@contextmanager
def passing_on(foreground: Callable[[], bool] = in_foreground) -> Iterator[PassingOn]:
    """Handle signals by handing them on inside the block; those that this process ignores stay ignored.

    A handler, unlike ignoring, is not inherited: the program starts with what a program has that nobody traces.
    """
    signals = PassingOn(foreground)
    heeded = [number for number in PASSED_ON if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, signals.handle) for number in heeded}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
