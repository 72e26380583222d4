"""JSON from strangers: within limits, and with one clear error that says where."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any, NoReturn

from placement_cli.errors import UsageError
from placement_cli.graph.importing.imported import MAX_DEPTH, check_size

_STRUCTURE = re.compile(r'"(?:[^"\\]+|\\.)*+"?|[\[\]{}]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Json:
    """A value of a document, and the way to it; `missing` values are None too."""

    value: Any
    origin: str
    path: str = ""

    def error(self, message: str) -> UsageError:
        """Return the error that says `message` about this value."""
        return UsageError(f"{self.origin}: {self.path or 'the document'}: {message}")

    def get(self, key: str) -> Json:
        """Return a member of a mapping; None in it where there is no such member."""
        return Json(self.mapping().get(key), self.origin, f"{self.path}.{key}" if self.path else key)

    def mapping(self) -> dict[str, Any]:
        """Return the value, which must be a mapping; an empty one where there is no value."""
        if self.value is None:
            return {}
        if not isinstance(self.value, dict):
            raise self.error(f"expected a mapping, but found {kind_of(self.value)}")
        return self.value

    def members(self) -> Iterator[tuple[str, Json]]:
        """Yield the members of a mapping."""
        for key in self.mapping():
            yield key, self.get(key)

    def items(self) -> Iterator[Json]:
        """Yield the items of a list; none where there is no value."""
        if self.value is None:
            return
        if not isinstance(self.value, list):
            raise self.error(f"expected a list, but found {kind_of(self.value)}")
        for number, item in enumerate(self.value):
            yield Json(item, self.origin, f"{self.path}[{number}]")

    def text(self) -> str:
        """Return the value, which must be text."""
        if not isinstance(self.value, str):
            raise self.error(f"expected text, but found {kind_of(self.value)}")
        return self.value

    def word(self) -> str | None:
        """Return the value if it is text, else None."""
        return self.value if isinstance(self.value, str) and self.value else None

    def number(self) -> float | None:
        """Return the value if it is a finite number above 0, else None."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            return None
        return positive(self.value)


def positive(value: float) -> float | None:
    """Return a number if it is finite and above 0, else None."""
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) and number > 0 else None


def read_json(text: str, origin: str) -> Json:
    """Return the document; raises UsageError with line and column for what is no JSON or is nested too deep."""
    check_size(text, origin)
    _check_depth(text, origin)

    def refuse(constant: str) -> NoReturn:
        raise UsageError(f"{origin}: {constant} is no number of JSON")

    try:
        return Json(json.loads(text.removeprefix("\ufeff"), parse_constant=refuse), origin)
    except json.JSONDecodeError as error:
        raise UsageError(f"{origin}:{error.lineno}:{error.colno}: is not JSON: {error.msg}") from None
    except ValueError:
        raise UsageError(f"{origin}: holds a number with too many digits") from None


def _check_depth(text: str, origin: str) -> None:
    depth = 0
    for found in _STRUCTURE.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > MAX_DEPTH:
            line = text.count("\n", 0, found.start()) + 1
            column = found.start() - text.rfind("\n", 0, found.start())
            raise UsageError(f"{origin}:{line}:{column}: nested deeper than {MAX_DEPTH} levels")


_KINDS = {dict: "a mapping", list: "a list", str: "text", bool: "true or false"}


def kind_of(value: Any) -> str:
    """Return what kind of value this is, in words."""
    return "nothing" if value is None else _KINDS.get(type(value), "a number")
