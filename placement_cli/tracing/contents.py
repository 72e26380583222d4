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
from types import CodeType, FrameType, FunctionType, GeneratorType, MemberDescriptorType, MethodType
from typing import Any

from placement_cli.tracing.places import PROGRAM, Places

ENDS = 8
"""Of a long container the first and last elements are visited, not all."""
CONTAINERS = (dict, list, tuple, deque, set)
"""Python's own containers whose elements are visited."""
HOLDING = frozenset({"types", "queue", "asyncio.queues"})
"""Modules of the standard library with classes that hold what a program puts into them."""
COPIED = sys.version_info < (3, 13)
"""Whether Python gives out variables of functions as a copy, which it then keeps."""
OF_THE_FRAME = 3
"""References to that copy where nobody else has it: of the frame, of the one who asks, and of the call that counts."""
ASKING: dict[str, Any] = {"locals": locals, "vars": vars, "eval": eval, "exec": exec}
"""Functions with which a function uses the copy of its own variables."""
Parts = list[tuple[str, Any]]
"""Parts of an object with how each is reached from it, such as `.state` or `[0]`."""


def parts_of(value: Any, places: Places) -> Parts:
    """Return what an object holds: elements of containers, fields, variables of closures and waiting generators."""
    kind = type(value)
    if issubclass(kind, CONTAINERS):
        inside = [(f"[{text}]", part) for key, part in elements(value) if (text := _as_written(key)) is not None]
        return inside if kind in CONTAINERS else inside + _fields(value, places)
    if kind is FunctionType:
        return _closure(value, places)
    if kind is MethodType:
        return [(".__self__", value.__self__)]
    if kind is GeneratorType:
        return _generator(value, places)
    return _fields(value, places)


def _as_written(key: Any) -> str | None:
    """Return how a key or an index is written; None for what is neither text nor number. A subclass has no say."""
    written = next((each.__repr__ for each in (str, int) if issubclass(type(key), each)), None)
    return None if written is None else written(key)


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
    kind = next(each for each in CONTAINERS if issubclass(type(container), each))
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
    return fields_of(value) if _has_fields(type(value), places) else []


def fields_of(value: Any) -> Parts:
    """Return the fields of an object, those in slots as well."""
    found: Parts = []
    with suppress(AttributeError):
        fields = object.__getattribute__(value, "__dict__")
        found += [(f".{name}", part) for name, part in dict.items(fields)] if type(fields) is dict else []
    for name, slot in _slots(type(value)):
        with suppress(AttributeError):
            found.append((f".{name}", slot.__get__(value)))
    return found


def _slots(kind: type) -> list[tuple[str, MemberDescriptorType]]:
    """Return the slots of a class and of those it is made from, each with its name."""
    classes = type.__getattribute__(kind, "__mro__")
    slots = [each for each in classes if "__slots__" in type.__getattribute__(each, "__dict__")]
    return [
        (name, slot)
        for each in slots
        for name, slot in type.__getattribute__(each, "__dict__").items()
        if type(slot) is MemberDescriptorType
    ]


def _has_fields(kind: type, places: Places) -> bool:
    """Tell whether a class is one whose fields may hold arrays: of Python's own, queues and simple namespaces."""
    module = type.__getattribute__(kind, "__module__")
    if module == "__main__" or module in HOLDING:
        return True
    file = getattr(sys.modules.get(module), "__file__", None) if isinstance(module, str) else None
    return isinstance(file, str) and not (file.startswith(places.standard) and "-packages" not in file)


def variables_of(frame: FrameType) -> list[tuple[str, Any]]:
    """Return the variables of a function that is running, and let go of the copy that Python makes of them.

    A module has none of its own.

    Python 3.12 and older keep that copy with the frame, where it would keep arrays alive as long as the function runs.
    A function that may use the copy itself is left alone; see `asks_for_variables` and `lends_variables`.
    """
    if not frame.f_code.co_flags & CO_OPTIMIZED:
        names = frame.f_locals
        # A class may be made in a mapping of the program.
        return [] if names is frame.f_globals or type(names) is not dict else list(names.items())
    if not COPIED:
        return list(frame.f_locals.items())
    if asks_for_variables(frame):
        return []
    # Asking a frame for its variables makes the copy, or brings it up to date.
    variables = frame.f_locals
    found = list(variables.items())
    if sys.getrefcount(variables) <= OF_THE_FRAME:
        variables.clear()
    return found


def lends_variables(called: FrameType | None) -> bool:
    """Tell whether what a function `called` runs in the copy of its variables, as code that is evaluated does."""
    return COPIED and called is not None and not called.f_code.co_flags & CO_OPTIMIZED


def asks_for_variables(frame: FrameType) -> bool:
    """Tell whether a function may use the copy of its variables.

    `locals()` and `vars()` return it, `eval` and `exec` run code in it, and find in it what such code left there.
    """
    known = frame.f_globals
    return any(dict.get(known, name, ASKING[name]) is ASKING[name] for name in _names_asking(frame.f_code))


@lru_cache(maxsize=256)
def _names_asking(code: CodeType) -> frozenset[str]:
    """Return the names by which a function asks for its variables, if they mean what they mean in Python."""
    if not ASKING.keys() & set(code.co_names):
        return frozenset()
    steps = list(get_instructions(code))
    named = [(at, step.argval) for at, step in enumerate(steps) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")]
    return frozenset(name for at, name in named if name in ASKING and (name != "vars" or _takes_nothing(steps[at:])))


def _takes_nothing(steps: list[Instruction]) -> bool:
    """Tell whether the first call in these steps has no arguments."""
    return next((step.arg for step in steps if "CALL" in step.opname), 0) == 0
