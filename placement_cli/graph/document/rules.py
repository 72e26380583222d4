"""How a kind of value is read: the sentence for what it must be, and the JSON Schema that editors check."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic_core import core_schema

from placement_cli.errors import did_you_mean
from placement_cli.located.places import QUOTED_CHARACTERS
from placement_cli.located.validation import kind_of, wrong

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler


@dataclass(frozen=True, slots=True)
class Rule:
    """How one kind of value is read: `read` returns it or raises; `schema` is the JSON Schema of what it takes."""

    read: Callable[[Any], Any]
    schema: Mapping[str, Any] = field(hash=False)

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(
        self, _schema: core_schema.CoreSchema, _handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return dict(self.schema)


def whole(low: int, high: int) -> Rule:
    """Return the rule for whole numbers from `low` to `high`."""

    def read(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise wrong(f"expected a whole number from {low} to {high}, not {kind_of(value)}")
        return value

    return Rule(read, {"type": "integer", "minimum": low, "maximum": high})


def number(low: float, high: float, *, above: bool = False) -> Rule:
    """Return the rule for numbers from `low` (without `low` itself where `above`) to `high`."""
    least = f"above {low:.12g} and at most" if above else f"from {low:.12g} to"

    def read(value: Any) -> float:
        if type(value) not in (int, float) or not low <= value <= high or (above and value == low):
            raise wrong(f"expected a number {least} {high:.12g}, not {kind_of(value)}")
        return float(value)

    return Rule(read, {"type": "number", "exclusiveMinimum" if above else "minimum": low, "maximum": high})


def choice(what: str, words: Sequence[str]) -> Rule:
    """Return the rule for one of `words`; `what` is what they are, such as `an element type`."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            near = did_you_mean(str(value)[:QUOTED_CHARACTERS], words)
            raise wrong(f"{kind_of(value)} is not {what}. {near}")
        return value

    return Rule(read, {"enum": list(words)})


def line(longest: int) -> Rule:
    """Return the rule for one line of text that is not empty."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > longest:
            hint = "; put it in quotes" if isinstance(value, bool | int | float) else ""
            raise wrong(f"expected one line of text, at most {longest} characters, not {kind_of(value)}{hint}")
        return value

    return Rule(read, {"type": "string", "minLength": 1, "maxLength": longest})


def matching(pattern: re.Pattern[str], what: str) -> Rule:
    """Return the rule for text that matches `pattern` as a whole; `what` is what it is."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            hint = "; put it in quotes" if isinstance(value, bool | int | float) else ""
            raise wrong(f"expected {what}, not {kind_of(value)}{hint}")
        return value

    return Rule(read, {"type": "string", "pattern": f"^{pattern.pattern}$"})
