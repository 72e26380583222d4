"""What an evaluation was given: arrays in trees of lists, tuples and dictionaries, as MLX walks them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from placement_cli.tracing.contents import Parts, fields_of

FIELDS_AT_MOST = 6
VALUES_AT_MOST = 1000
"""Values of a field that are asked for arrays: it may be large, and go round in circles."""


def arrays_in(arguments: Iterable[Any], array: type, at_most: int = sys.maxsize) -> Iterator[Any]:
    """Yield the arrays that MLX finds in `arguments`: it walks lists, tuples and dictionaries and nothing else.

    Of `at_most` so many values. Asked are types and the methods of Python's own containers: no code of the program
    runs.
    """
    waiting, visited = list(arguments), 0
    while waiting and visited < at_most:
        value, visited = waiting.pop(), visited + 1
        kind = type(value)
        if issubclass(kind, array):
            yield value
        elif issubclass(kind, list):
            waiting.extend(list.__iter__(value))
        elif issubclass(kind, tuple):
            waiting.extend(tuple.__iter__(value))
        elif issubclass(kind, dict):
            waiting.extend(dict.values(value))


def receiver(arguments: Iterable[Any], array: type) -> str:
    """Describe arguments in which MLX finds no array: their types, and the fields of theirs that hold arrays."""
    described = []
    for value in list(arguments)[:FIELDS_AT_MOST]:
        name = type(value).__name__
        fields = [field for field, inside in _fields(value) if _holds(inside, array)]
        described.append(f"{name}({', '.join(fields[:FIELDS_AT_MOST])})" if fields else name)
    return ", ".join(described)


def _holds(value: Any, array: type) -> bool:
    """Tell whether there is an array in the first values of a tree, which may go round in circles."""
    return any(True for _ in arrays_in([value], array, VALUES_AT_MOST))


def _fields(value: Any) -> Parts:
    kind = type(value)
    if issubclass(kind, set | frozenset):
        iterate = set.__iter__ if issubclass(kind, set) else frozenset.__iter__
        return [("elements", list(islice(iterate(value), VALUES_AT_MOST)))]
    return [(name.removeprefix("."), inside) for name, inside in fields_of(value)]
