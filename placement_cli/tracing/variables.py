"""Walking over the variables that running functions can reach, without keeping hold of any."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from inspect import CO_OPTIMIZED
from types import FrameType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

from placement_cli.tracing.places import PROGRAM, Places

DEPTH = 6
OBJECTS_AT_MOST = 3000
"""What one walk visits at most: a look must stay short."""
FRAMES_AT_MOST = 16
ENDS = 8
"""Of a long list the first and last elements are visited, not all."""
SEQUENCES = (list, tuple, deque)
PLAIN = (str, bytes, bytearray, int, float, complex, bool, type(None), type, ModuleType)


class Walk:
    """One walk: yields (name, value, frame) for every array and container it comes by."""

    def __init__(self, places: Places, wanted: tuple[type, ...]) -> None:
        self._places = places
        self._wanted = wanted
        self._seen: set[int] = set()

    def over(self, frame: FrameType) -> Iterator[tuple[str, Any, FrameType]]:
        """Walk over the variables of the program's functions that are running below `frame`, and of their modules."""
        frames: list[FrameType] = []
        at: FrameType | None = frame
        while at is not None and len(frames) < FRAMES_AT_MOST:
            if self._places.owner(at.f_code) == PROGRAM:
                frames.append(at)
            at = at.f_back
        # From the outside in: what an outer function holds has the same name wherever the program is just now.
        for each in reversed(frames):
            yield from self._frame(each)
        modules = {id(each.f_globals): each for each in frames}
        for outer in modules.values():
            yield from self._names(list(outer.f_globals.items()), "", outer, 0)

    def _frame(self, frame: FrameType) -> Iterator[tuple[str, Any, FrameType]]:
        if frame.f_locals is frame.f_globals:
            return
        variables = frame.f_locals
        found = list(variables.items())
        release(frame, variables)
        yield from self._names(found, "", frame, 0)

    def _names(
        self, items: list[tuple[Any, Any]], before: str, frame: FrameType, depth: int
    ) -> Iterator[tuple[str, Any, FrameType]]:
        for name, value in items:
            if isinstance(name, str) and not name.startswith("__"):
                yield from self._value(f"{before}{name}", value, frame, depth)

    def _value(self, name: str, value: Any, frame: FrameType, depth: int) -> Iterator[tuple[str, Any, FrameType]]:
        kind = type(value)
        if kind in self._wanted:
            yield name, value, frame
            return
        if kind in PLAIN or depth >= DEPTH or len(self._seen) >= OBJECTS_AT_MOST or id(value) in self._seen:
            return
        self._seen.add(id(value))
        if isinstance(value, (*SEQUENCES, dict, set)):
            yield name, value, frame
        for inner, part in self._parts(value):
            yield from self._value(f"{name}{inner}", part, frame, depth + 1)

    def _parts(self, value: Any) -> list[tuple[str, Any]]:
        """Return what an object holds, with how it is reached from it."""
        if isinstance(value, dict):
            return [(f"[{key!r}]", part) for key, part in ends(list(value.items())) if isinstance(key, str | int)]
        if isinstance(value, SEQUENCES):
            return [(f"[{at}]", part) for at, part in ends(list(enumerate(value)))]
        if isinstance(value, FunctionType):
            return self._closure(value)
        if isinstance(value, MethodType):
            return [(".__self__", value.__self__)]
        if isinstance(value, GeneratorType):
            return self._generator(value)
        return self._fields(value)

    def _closure(self, function: FunctionType) -> list[tuple[str, Any]]:
        if function.__closure__ is None or self._places.owner(function.__code__) != PROGRAM:
            return []
        names = function.__code__.co_freevars
        cells = zip(names, function.__closure__, strict=False)
        return [(f".{name}", cell.cell_contents) for name, cell in cells if _filled(cell)]

    def _generator(self, value: GeneratorType[Any, Any, Any]) -> list[tuple[str, Any]]:
        frame = value.gi_frame
        if frame is None or value.gi_running or self._places.owner(frame.f_code) != PROGRAM:
            return []
        variables = frame.f_locals
        found = [(f".{name}", part) for name, part in variables.items()]
        release(frame, variables)
        return found

    def _fields(self, value: Any) -> list[tuple[str, Any]]:
        if not self._has_fields(type(value)):
            return []
        fields = [(f".{name}", part) for name, part in list(getattr(value, "__dict__", {}).items())]
        slots = [name for name in getattr(type(value), "__slots__", ()) if isinstance(name, str)]
        return [*fields, *((f".{name}", getattr(value, name)) for name in slots if hasattr(value, name))]

    def _has_fields(self, kind: type) -> bool:
        """Tell whether a class is one whose fields may hold arrays: not one of Python's own."""
        if kind.__module__ == "__main__":
            return True
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        return file is not None and not (file.startswith(self._places.standard) and "-packages" not in file)


def ends(items: list[Any]) -> list[Any]:
    """Return the first and last items of a long list, or all of a short one."""
    return items if len(items) <= 2 * ENDS else items[:ENDS] + items[-ENDS:]


def release(frame: FrameType, variables: Any) -> None:
    """Let go of the copy of a function's variables that Python 3.12 and older keep with its frame.

    The copy would keep arrays alive as long as the function runs. A function that calls `locals` is left alone: the
    copy may be its own.
    """
    if sys.version_info < (3, 13) and frame.f_code.co_flags & CO_OPTIMIZED and "locals" not in frame.f_code.co_names:
        variables.clear()


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - asking is how one learns
    except ValueError:
        return False
    return True
