"""Walking over the variables that running functions can reach, without keeping hold of any."""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType, ModuleType
from typing import Any

from placement_cli.tracing.contents import CONTAINERS, lends_variables, parts_of, variables_of
from placement_cli.tracing.places import PROGRAM, Places

DEPTH = 6
OBJECTS_AT_MOST = 3000
"""What one walk visits at most, half of it from modules: a look must stay short."""
FRAMES_AT_MOST = 16
PLAIN = frozenset({str, bytes, bytearray, int, float, complex, bool, type(None), type, ModuleType})

Found = Iterator[tuple[str, Any, FrameType]]
"""A name, what it stands for, and the frame of the function or module that has it."""


class Walk:
    """One walk over everything but a few kinds that hold nothing; comes by each object once."""

    def __init__(self, places: Places, wanted: tuple[type, ...]) -> None:
        self._places = places
        self._wanted = wanted
        self._seen: set[int] = set()
        self._most = OBJECTS_AT_MOST

    def over(self, frame: FrameType) -> Found:
        """Yield arrays and containers that the program's functions below `frame`, and their modules, can reach."""
        frames = self._frames(frame)
        modules = {id(each.f_globals): each for each in frames}
        # From the outside in: what is held further out has the same name wherever the program is just now.
        self._most = OBJECTS_AT_MOST // 2
        for outer in modules.values():
            yield from self._names(list(outer.f_globals.items()), outer)
        self._most = OBJECTS_AT_MOST
        for each in reversed(frames):
            yield from self._names(variables_of(each), each)

    def _frames(self, frame: FrameType) -> list[FrameType]:
        frames: list[FrameType] = []
        at: FrameType | None = frame
        called: FrameType | None = None
        while at is not None and len(frames) < FRAMES_AT_MOST:
            if self._places.owner(at.f_code) == PROGRAM and not lends_variables(called):
                frames.append(at)
            called, at = at, at.f_back
        return frames

    def _names(self, items: list[tuple[str, Any]], frame: FrameType) -> Found:
        for name, value in items:
            if isinstance(name, str) and not name.startswith("__"):
                yield from self._value(name, value, frame, 0)

    def _value(self, name: str, value: Any, frame: FrameType, depth: int) -> Found:
        kind = type(value)
        if kind in self._wanted:
            yield name, value, frame
            return
        if kind in PLAIN or depth >= DEPTH or len(self._seen) >= self._most or id(value) in self._seen:
            return
        self._seen.add(id(value))
        if issubclass(kind, CONTAINERS):
            yield name, value, frame
        for inner, part in parts_of(value, self._places):
            yield from self._value(f"{name}{inner}", part, frame, depth + 1)
