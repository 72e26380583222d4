"""What an object holds, learned without running code of the program: no property, no method of its own classes."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dis import Instruction, get_instructions
from functools import lru_cache
from inspect import CO_OPTIMIZED
from itertools import islice
from types import CodeType, FrameType, FunctionType, GeneratorType, MethodType
from typing import Any

from placement_cli.tracing.places import PROGRAM, Places

ENDS = 8
"""Of a long container the first and last elements are visited, not all."""
Parts = list[tuple[str, Any]]
"""Parts of an object with how each is reached from it, such as `.state` or `[0]`."""


def parts_of(value: Any, places: Places) -> Parts:
    """Return what an object holds: elements of containers, fields, variables of closures and waiting generators."""
    kind = type(value)
    if issubclass(kind, dict | list | tuple | deque | set):
        return [(f"[{key!r}]", part) for key, part in elements(value) if isinstance(key, str | int)]
    if kind is FunctionType:
        return _closure(value, places)
    if kind is MethodType:
        return [(".__self__", value.__self__)]
    if kind is GeneratorType:
        return _generator(value, places)
    return _fields(value, places)


def elements(container: Any) -> list[tuple[Any, Any]]:
    """Return the first and last elements of a container, each with its key or index; of a set the first alone."""
    kind = type(container)
    if issubclass(kind, dict):
        return list(_ends(dict.items(container)))
    for sequence in (list, tuple, deque):
        if issubclass(kind, sequence):
            numbers = _ends(range(sequence.__len__(container)))
            get: Callable[[Any, int], Any] = sequence.__getitem__
            return [(number, get(container, number)) for number in numbers]
    return list(enumerate(islice(set.__iter__(container), 2 * ENDS)))


def length(container: Any) -> int:
    """Return how many elements a container has."""
    kind = next(each for each in (dict, list, tuple, deque, set) if issubclass(type(container), each))
    return kind.__len__(container)


def _ends(items: Any) -> list[Any]:
    if len(items) <= 2 * ENDS:
        return list(items)
    return [*islice(items, ENDS), *reversed([*islice(reversed(items), ENDS)])]


def _closure(function: FunctionType, places: Places) -> Parts:
    if function.__closure__ is None or places.owner(function.__code__) != PROGRAM:
        return []
    found = []
    for name, cell in zip(function.__code__.co_freevars, function.__closure__, strict=False):
        with suppress(ValueError):  # The cell is empty.
            found.append((f".{name}", cell.cell_contents))
    return found


def _generator(value: GeneratorType[Any, Any, Any], places: Places) -> Parts:
    frame = value.gi_frame
    if frame is None or value.gi_running or places.owner(frame.f_code) != PROGRAM:
        return []
    return [(f".{name}", part) for name, part in variables_of(frame)]


def _fields(value: Any, places: Places) -> Parts:
    kind = type(value)
    if not _has_fields(kind, places):
        return []
    found: Parts = []
    with suppress(AttributeError):
        fields = object.__getattribute__(value, "__dict__")
        found += [(f".{name}", part) for name, part in dict.items(fields)] if type(fields) is dict else []
    for name in _slots(kind):
        with suppress(AttributeError):
            found.append((f".{name}", object.__getattribute__(value, name)))
    return found


def _slots(kind: type) -> list[str]:
    """Return the names of a class's slots; another descriptor of such a name is code of the program."""
    names = vars(kind).get("__slots__", ())
    listed = [names] if isinstance(names, str) else list(names) if isinstance(names, list | tuple) else []
    return [name for name in listed if type(vars(kind).get(name)).__name__ == "member_descriptor"]


def _has_fields(kind: type, places: Places) -> bool:
    """Tell whether a class is one whose fields may hold arrays: not one of Python's own."""
    module = type.__getattribute__(kind, "__module__")
    if module == "__main__":
        return True
    file = getattr(sys.modules.get(module), "__file__", None) if isinstance(module, str) else None
    return isinstance(file, str) and not (file.startswith(places.standard) and "-packages" not in file)


def variables_of(frame: FrameType) -> list[tuple[str, Any]]:
    """Return the variables of a function that is running, and let go of the copy that Python makes of them.

    A module has none of its own.

    Python 3.12 and older keep that copy with the frame, where it would keep arrays alive as long as the function runs.
    A function that calls `locals`, or `vars` of nothing, is left alone: the copy may be its own.
    """
    optimized = frame.f_code.co_flags & CO_OPTIMIZED
    copied = sys.version_info < (3, 13) and optimized
    # Asking a frame for its variables makes the copy, or brings it up to date.
    if (copied and asks_for_variables(frame.f_code)) or (not optimized and frame.f_locals is frame.f_globals):
        return []
    variables = frame.f_locals
    found = list(variables.items())
    if copied:
        variables.clear()
    return found


@lru_cache(maxsize=256)
def asks_for_variables(code: CodeType) -> bool:
    """Tell whether a function may hold the copy of its variables that `locals()` and `vars()` return."""
    if not {"locals", "vars"} & set(code.co_names):
        return False
    steps = list(get_instructions(code))
    named = [(at, step.argval) for at, step in enumerate(steps) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")]
    return any(name == "locals" or (name == "vars" and _takes_nothing(steps[at:])) for at, name in named)


def _takes_nothing(steps: list[Instruction]) -> bool:
    """Tell whether the first call in these steps has no arguments."""
    return next((step.arg for step in steps if "CALL" in step.opname), 0) == 0
