"""Turns what pydantic finds wrong with a document into one sentence about the first mistake, with its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError

from placement_cli.errors import UsageError, did_you_mean
from placement_cli.located.places import QUOTED_CHARACTERS, quoted

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

    from placement_cli.located.places import Mark, Path, Places

KEY_PART = "[key]"
"""What pydantic puts at the end of the way to an error when the error is about a key."""
UNKNOWN_KEY, MISSING_KEY = "extra_forbidden", "missing"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How messages speak of one kind of document: what it is called, and the model whose keys stand at a path."""

    document: str
    model_at: Callable[[Path], type[BaseModel]]

    def called(self, path: Path) -> str:
        """Return what the value at `path` is called; nodes by their names."""
        match path:
            case ():
                return self.document
            case ("nodes", name, *rest):
                return ".".join([f"node {quoted(name)}", *map(str, rest)])
            case _:
                return ".".join(map(str, path))


def wrong(message: str) -> PydanticCustomError:
    """Return the validation error that says `message` as it stands."""
    return PydanticCustomError("document", "{message}", {"message": message})


def kind_of(value: Any) -> str:
    """Return what a value of the wrong type is, for a message."""
    names = {bool: "true or false", list: "a list", dict: "a mapping", type(None): "nothing"}
    return names.get(type(value), quoted(value))


def first_error(failure: ValidationError, places: Places, words: Vocabulary) -> UsageError:
    """Return the error that stands first in the file; missing keys, which stand nowhere, come last.

    A wrong version comes before everything: it may be why the rest looks wrong.
    """
    errors = failure.errors(include_url=False)
    first = min(errors, key=lambda error: _order(error, places))
    path = _path(first)
    if first["type"] == MISSING_KEY:
        return places.error(path[:-1], f"{words.called(path[:-1])} needs the key {str(path[-1])!r}")
    place = places.of_key(*path) if _is_about_key(first) else places.of(*path)
    return UsageError(f"{place}: {_message(first, path, words)}")


def _path(error: ErrorDetails) -> Path:
    return tuple(part for part in error["loc"] if part != KEY_PART)


def _is_about_key(error: ErrorDetails) -> bool:
    return error["type"] == UNKNOWN_KEY or error["loc"][-1:] == (KEY_PART,)


def _order(error: ErrorDetails, places: Places) -> tuple[float, Mark]:
    path = _path(error)
    if path == ("version",):
        return -1.0, (0, 0)
    if error["type"] == MISSING_KEY:
        return inf, (0, 0)
    return 0.0, places.key_mark(*path) if _is_about_key(error) else places.mark(*path)


def _message(error: ErrorDetails, path: Path, words: Vocabulary) -> str:
    match error["type"]:
        case "extra_forbidden":
            known = list(words.model_at(path[:-1]).model_fields)
            near = did_you_mean(str(path[-1])[:QUOTED_CHARACTERS], known)
            return f"{quoted(path[-1])} is no key of {words.called(path[:-1])}. {near}"
        case "dict_type" | "model_type":
            shown = "nothing" if error["input"] is None else quoted(error["input"])
            return f"{words.called(path)}: expected a mapping, not {shown}"
        case "too_short":
            return f"{words.called(path)}: is empty; expected at least one"
        case "too_long":
            return f"{words.called(path)}: holds too many; expected at most {error['ctx']['max_length']}"
        case _:
            return f"{words.called(path)}: {error['msg']}"
