"""What an evaluation point does: `off`, `async`, `sync`, `window:K`, `every:K`, the words of graph.yaml."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from reprlib import repr as shortened

MAX_DEPTH = 1_000_000
"""Largest K of `window:K` and `every:K` in a graph."""


class ModeKind(StrEnum):
    """The kinds of evaluation, without the K of those that have one."""

    OFF = "off"
    ASYNC = "async"
    SYNC = "sync"
    WINDOW = "window"
    EVERY = "every"


DEEP = frozenset({ModeKind.WINDOW, ModeKind.EVERY})
"""Kinds that are written with a number of messages."""
WORDS = tuple(f"{kind}:K" if kind in DEEP else str(kind) for kind in ModeKind)
"""How modes are written."""


@dataclass(frozen=True, slots=True)
class Mode:
    """One mode; `depth` is the K of `window:K` and `every:K`, in messages, and 0 for the others."""

    kind: ModeKind
    depth: int = 0

    def __str__(self) -> str:
        """The mode as graph.yaml writes it."""
        return f"{self.kind}:{self.depth}" if self.kind in DEEP else str(self.kind)

    @property
    def submits(self) -> bool:
        """Whether anything is handed to the device here, on some message at least."""
        return self.kind is not ModeKind.OFF

    @property
    def period(self) -> int:
        """On every how many-th message it submits; 0 for never."""
        if self.kind is ModeKind.OFF:
            return 0
        return self.depth if self.kind is ModeKind.EVERY else 1


OFF, ASYNC, SYNC = Mode(ModeKind.OFF), Mode(ModeKind.ASYNC), Mode(ModeKind.SYNC)


def window(depth: int) -> Mode:
    """Return `window:depth`."""
    return Mode(ModeKind.WINDOW, depth)


def every(depth: int) -> Mode:
    """Return `every:depth`."""
    return Mode(ModeKind.EVERY, depth)


def parse_mode(text: str) -> Mode:
    """Read one mode; raises ValueError that says what is allowed.

    `window:0` waits for every message, which is `sync`; it is refused so that one thing has one name.
    """
    word, colon, depth = text.partition(":")
    if word not in ModeKind.__members__.values():
        raise ValueError(f"{shortened(text)} is no mode; expected one of {', '.join(WORDS)}")
    kind = ModeKind(word)
    if kind not in DEEP:
        if colon:
            raise ValueError(f"{kind} takes no number; expected one of {', '.join(WORDS)}")
        return Mode(kind)
    if not re.fullmatch(r"[0-9]{1,7}", depth) or not 1 <= int(depth) <= MAX_DEPTH:
        raise ValueError(f"{kind} needs a whole number from 1 to {MAX_DEPTH}, such as {kind}:4")
    return Mode(kind, int(depth))
