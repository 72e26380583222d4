"""Turns what pydantic finds wrong with a scenario into one sentence with file, line and column."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from placement_cli.bench.scenario_schema import NodeEntry, ScenarioDocument, SourceEntry
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.located.places import quoted

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

    from placement_cli.located.places import Path, Places

KEY_PART = "[key]"
"""What pydantic puts at the end of the way to an error when the error is about a key."""
UNKNOWN_KEY, MISSING_KEY = "extra_forbidden", "missing"


def first_error(failure: ValidationError, places: Places) -> UsageError:
    """Return the error that stands first in the file; missing keys, which stand nowhere, come last.

    A wrong version comes before everything: it may be why the rest looks wrong.
    """
    errors = failure.errors(include_url=False)
    first = min(errors, key=lambda error: _order(error, places))
    path = _path(first)
    if first["type"] == MISSING_KEY:
        return places.error(path[:-1], f"{_what(path[:-1])} needs the key {str(path[-1])!r}")
    place = places.of_key(*path) if _is_about_key(first) else places.of(*path)
    return UsageError(f"{place}: {_message(first, path)}")


def _path(error: ErrorDetails) -> Path:
    return tuple(part for part in error["loc"] if part != KEY_PART)


def _is_about_key(error: ErrorDetails) -> bool:
    return error["type"] == UNKNOWN_KEY or error["loc"][-1:] == (KEY_PART,)


def _order(error: ErrorDetails, places: Places) -> tuple[float, float]:
    path = _path(error)
    if path == ("version",):
        return -1.0, 0.0
    marks = places.keys if _is_about_key(error) else places.values
    return (inf, 0.0) if error["type"] == MISSING_KEY else marks.get(path, (0, 0))


def _message(error: ErrorDetails, path: Path) -> str:
    match error["type"]:
        case "extra_forbidden":
            known = list(_model_at(path[:-1]).model_fields)
            return f"{quoted(path[-1])} is no key of {_what(path[:-1])}. {did_you_mean(str(path[-1]), known)}"
        case "dict_type" | "model_type":
            return f"{_what(path)}: expected a mapping, not {quoted(error['input'])}"
        case "too_short":
            return f"{_what(path)}: is empty; expected at least one"
        case "too_long":
            return f"{_what(path)}: holds too many; expected at most {error['ctx']['max_length']}"
        case _:
            return f"{_what(path)}: {error['msg']}"


def _model_at(path: Path) -> type[BaseModel]:
    match path:
        case ():
            return ScenarioDocument
        case ("source",):
            return SourceEntry
        case _:
            return NodeEntry


def _what(path: Path) -> str:
    match path:
        case ():
            return "the scenario"
        case ("nodes", name, *rest):
            return ".".join([f"node {quoted(name)}", *map(str, rest)])
        case _:
            return ".".join(map(str, path))
