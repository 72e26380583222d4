"""Turns what pydantic finds wrong with settings into one sentence about the first mistake, with its place."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from placement_cli.errors import UsageError, did_you_mean
from placement_cli.located.places import QUOTED_CHARACTERS, quoted
from placement_cli.located.validation import MISSING_KEY, UNKNOWN_KEY
from placement_cli.settings.schema import CheckTable, LimitTable, SettingsTable

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

    from placement_cli.located.places import Mark, Path, Places

WORDED = "document"
"""The kind of error that `located.validation.wrong` makes: its message is a whole sentence."""
TOO_MANY = "too_long"


def first_error(failure: ValidationError, places: Places) -> UsageError:
    """Return the error that stands first in the file, with its place; missing keys come last."""
    error = min(failure.errors(include_url=False), key=lambda each: _order(each, places))
    path = error["loc"]
    return UsageError(f"{places.of_key(*path)}: {_called(path, error)}{complaint(error)}")


def complaint(error: ErrorDetails) -> str:
    """Return what is wrong with one value, or one key, without saying where it stands."""
    path = error["loc"]
    match error["type"]:
        case kind if kind == UNKNOWN_KEY:
            known = [field.alias or name for name, field in _table_of(path).model_fields.items()]
            near = did_you_mean(str(path[-1])[:QUOTED_CHARACTERS], known)
            return f"{quoted(path[-1])} is no key of {_named(path[:-1]) or 'the settings'}. {near}"
        case kind if kind == MISSING_KEY:
            return f"{_named(path[:-1])} needs the key {str(path[-1])!r}, {_expected(path)}"
        case kind if kind == WORDED:
            return str(error["msg"])
        case kind if kind == TOO_MANY:
            return f"holds too many; expected at most {error['ctx']['max_length']}"
        case _:
            return f"expected {_expected(path)}, not {shown(error['input'])}"


def shown(value: Any) -> str:
    """Return what a value of the wrong type is, for a message; numbers stand without quotes, as they are written."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return quoted(value)[1:-1]
        case list():
            return "a list" if value else "an empty list"
        case dict():
            return "a table"
        case _:
            return quoted(value)


def _order(error: ErrorDetails, places: Places) -> tuple[float, Mark]:
    return (inf if error["type"] == MISSING_KEY else 0.0, places.key_mark(*error["loc"]))


def _called(path: Path, error: ErrorDetails) -> str:
    return "" if error["type"] in {UNKNOWN_KEY, MISSING_KEY} else f"{_named(path)}: "


def _named(path: Path) -> str:
    """Return how the value at `path` is called: keys alone, the place says which entry of a list it is in."""
    return ".".join(part for part in path if isinstance(part, str))


def _table_of(path: Path) -> type[BaseModel]:
    """Return the table that the last key of `path` belongs to."""
    if len(path) == 1 or (len(path) == 2 and isinstance(path[1], int)):
        return SettingsTable
    return CheckTable if path[0] == "check" else LimitTable


def _expected(path: Path) -> str:
    """Return what the key that `path` leads to, or into, takes."""
    key = [part for part in path if isinstance(part, str)][-1]
    fields = _table_of(path).model_fields.items()
    return next(str(field.description) for name, field in fields if (field.alias or name) == key)
