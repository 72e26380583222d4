"""What the models of other tools' files share: strict numbers, unknown keys passed over, one error with its place."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from placement_cli.errors import UnreadableInput
from placement_cli.store.json_input import quoted

Quantity = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]
"""A time or a size as a file holds it: a number, not negative, no text that looks like one."""
Name = Annotated[str, Field(min_length=1, max_length=1000)]
"""What a benchmark is called."""

IN_PROCESS = (
    "Its values are repetitions within one process, which are no independent trials: nothing is claimed of them."
)


class ForeignPart(BaseModel):
    """A part of another tool's file."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, frozen=True)


_Part = TypeVar("_Part", bound=ForeignPart)


def parsed(model: type[_Part], data: Any, origin: str, tool: str) -> _Part:
    """Return `data`, read from `origin`, as the document of `tool`; raises UnreadableInput with the place."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UnreadableInput(f"{origin}: as a file of {tool}: {quoted(where)}: {quoted(first['msg'])}.") from None


def stable_facts(**facts: Any) -> dict[str, Any]:
    """Return the facts that a file holds: plain, short values, those that are missing left out."""
    return {
        key: value[:200] if isinstance(value, str) else value
        for key, value in sorted(facts.items())
        if isinstance(value, str | int | float) and value != ""
    }


def nothing_in(origin: str, tool: str) -> UnreadableInput:
    """Return the error of a file that holds no value."""
    return UnreadableInput(f"{origin}: this file of {tool} holds no values.")
