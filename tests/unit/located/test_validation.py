"""What pydantic finds in any document, as one sentence about the first mistake."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from placement_cli.located.places import Path
from placement_cli.located.validation import Vocabulary, first_error, kind_of, wrong
from placement_cli.located.yaml import YamlLimits, read_yaml

LIMITS = YamlLimits("a list", max_bytes=1024, max_depth=4, max_values=50)


def _even(value: Any) -> Any:
    if value % 2:
        raise wrong(f"{value} is odd, {{}} and all")
    return value


class Item(BaseModel):
    """An entry of the document."""

    model_config = ConfigDict(extra="forbid")
    size: Annotated[int, BeforeValidator(_even)]
    parts: list[int] = Field(default_factory=list, max_length=2)


class Document(BaseModel):
    """A document of its own kind."""

    model_config = ConfigDict(extra="forbid")
    nodes: dict[str, Item] = Field(min_length=1)


def _model_at(path: Path) -> type[BaseModel]:
    return Item if path else Document


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "f:1:1: the list needs the key 'nodes'"),
        ("nodes: {}", "f:1:8: nodes: is empty; expected at least one"),
        ("nodes: {a: {size: 3}}", "f:1:19: node 'a'.size: 3 is odd, {} and all"),
        ("nodes: {a: {size: 2, sze: 3}}", "f:1:22: 'sze' is no key of node 'a'. Did you mean 'size'?"),
        ("nodes: {a: }", "f:1:11: node 'a': expected a mapping, not nothing"),
        ("nodes: {a: {size: 2, parts: [1, 2, 3]}}", "f:1:29: node 'a'.parts: holds too many; expected at most 2"),
        ("nodes: {a: {}, b: {size: 3}}", "f:1:26: node 'b'.size: 3 is odd"),
        ("nodes: {'" + "x" * 900 + "': 3}", "f:1:913: node 'xxxx"),
    ],
)
def test_a_mistake_is_placed_and_said_in_words_of_the_document(text: str, message: str) -> None:
    """The first of the file, and keys that are missing last."""
    data, places = read_yaml(text, "f", LIMITS)
    with pytest.raises(ValidationError) as raised:
        Document.model_validate(data)
    said = str(first_error(raised.value, places, Vocabulary("the list", _model_at)))

    assert said.startswith(message)
    assert len(said) < 200


def test_values_of_the_wrong_kind_are_called_by_their_kind() -> None:
    """Only single values are quoted."""
    assert [kind_of(value) for value in (True, [1], {}, None, "x", 3)] == [
        "true or false",
        "a list",
        "a mapping",
        "nothing",
        "'x'",
        "'3'",
    ]
