"""What an evaluation was given: arrays in trees of lists, tuples and dictionaries, as MLX walks them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

FIELDS_AT_MOST = 6


def arrays_in(arguments: Iterable[Any], array: type) -> Iterator[Any]:
    """Yield the arrays that MLX finds in `arguments`: it walks lists, tuples and dictionaries and nothing else."""
    waiting = list(arguments)
    while waiting:
        value = waiting.pop()
        if isinstance(value, array):
            yield value
        elif isinstance(value, list | tuple):
            waiting.extend(value)
        elif isinstance(value, dict):
            waiting.extend(value.values())


def receiver(arguments: Iterable[Any], array: type) -> str:
    """Describe arguments in which MLX finds no array: their types, and the fields of theirs that hold arrays."""
    described = []
    for value in list(arguments)[:FIELDS_AT_MOST]:
        name = type(value).__name__
        fields = [field for field, inside in _fields(value) if any(True for _ in arrays_in([inside], array))]
        described.append(f"{name}({', '.join(fields[:FIELDS_AT_MOST])})" if fields else name)
    return ", ".join(described)


def _fields(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, set | frozenset):
        return [("elements", list(value))]
    fields = dict(getattr(value, "__dict__", None) or {})
    for name in getattr(type(value), "__slots__", ()):
        if isinstance(name, str) and hasattr(value, name):
            fields[name] = getattr(value, name)
    return list(fields.items())
