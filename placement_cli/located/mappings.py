"""Takes a document as Python mappings and lists from a caller: plain values only, within the limits of its kind.

What `placement_cli.located.yaml` does for text; places are the keys that lead to a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from numbers import Integral, Real
from typing import Any

from placement_cli.errors import UsageError
from placement_cli.located.places import Mark, Path, Places, quoted
from placement_cli.located.yaml import MAX_NUMBER_CHARACTERS, YamlLimits

BEYOND = 10**MAX_NUMBER_CHARACTERS
"""Whole numbers from here on are refused, as longer ones are in text."""


@dataclass(frozen=True, slots=True)
class KeyPlaces(Places):
    """Where the keys and values of a mapping stand: by their keys, such as `graph['nodes']['filter']`."""

    def of(self, *path: str | int) -> str:
        """Return the keys that lead to the value at `path`, or to the nearest one around it that exists."""
        length = next((n for n in range(len(path), 0, -1) if path[:n] in self.values), 0)
        return _written(self.origin, path[:length])

    def of_key(self, *path: str | int) -> str:
        """Return the keys that lead to the mapping of the key that ends `path`, and the key."""
        return _written(self.origin, path) if path in self.keys else self.of(*path)


def read_mapping(data: Any, origin: str, limits: YamlLimits) -> tuple[Any, KeyPlaces]:
    """Return a copy of `data` that holds mappings, lists, numbers, booleans, text and None alone, and its places.

    Raises UsageError for anything else in it, such as a key that is no text or a number that is not finite.
    """
    taking = _Taking(origin, limits)
    return taking.value(data, ()), KeyPlaces(origin, taking.values, taking.keys)


@dataclass(slots=True)
class _Taking:
    """Copies values; marks count them, so that they can be put in the order in which they are given."""

    origin: str
    limits: YamlLimits
    values: dict[Path, Mark] = field(default_factory=dict)
    keys: dict[Path, Mark] = field(default_factory=dict)
    count: int = 0

    def value(self, given: Any, path: Path) -> Any:
        self.values[path] = self._mark(path)
        if isinstance(given, Mapping | list | tuple) and len(path) >= self.limits.max_depth:
            raise self._error(path, f"nested deeper than {self.limits.max_depth} levels")
        if isinstance(given, Mapping):
            return self._mapping(given, path)
        if isinstance(given, list | tuple):
            return [self.value(item, (*path, index)) for index, item in enumerate(given)]
        return self._scalar(given, path)

    def _mapping(self, given: Mapping[Any, Any], path: Path) -> dict[str, Any]:
        plain: dict[str, Any] = {}
        for key, value in given.items():
            if not isinstance(key, str) or not key:
                raise self._error(path, "a key must be a name")
            self.keys[(*path, key)] = self._mark(path)
            plain[key] = self.value(value, (*path, key))
        return plain

    def _scalar(self, given: Any, path: Path) -> Any:
        if given is None or isinstance(given, bool):
            return given
        if isinstance(given, str):
            return str(given)
        if isinstance(given, Integral) and abs(int(given)) < BEYOND:
            return int(given)
        if isinstance(given, Real) and not isinstance(given, Integral) and isfinite(given):
            return float(given)
        raise self._error(path, "expected a plain value: text, a finite number, true, false, a list or a mapping")

    def _mark(self, path: Path) -> Mark:
        self.count += 1
        if self.count > self.limits.max_values:
            raise self._error(path, f"more than {self.limits.max_values} keys and values")
        return 1, self.count

    def _error(self, path: Path, message: str) -> UsageError:
        return UsageError(f"{_written(self.origin, path)}: {message}")


def _written(origin: str, path: Path) -> str:
    return origin + "".join(f"[{part}]" if isinstance(part, int) else f"[{quoted(part)}]" for part in path)
