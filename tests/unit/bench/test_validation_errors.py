"""What pydantic finds, as one sentence about the first mistake of the file."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from placement_cli.bench.scenario_file import LIMITS
from placement_cli.bench.scenario_schema import ScenarioDocument
from placement_cli.bench.validation_errors import first_error
from placement_cli.located.yaml import read_yaml


def error_of(text: str) -> str:
    """Return the sentence about a document with mistakes."""
    data: Any
    data, places = read_yaml(text, "f", LIMITS)
    with pytest.raises(ValidationError) as raised:
        ScenarioDocument.model_validate(data)
    return str(first_error(raised.value, places))


def test_mistakes_come_in_the_order_of_the_file() -> None:
    """A wrong value in line 2 comes before an unknown key in line 3, and both before what is missing."""
    assert error_of("version: 1\nname: ''\nnme: x\n").startswith("f:2:7: name: '' is not a name")
    assert error_of("version: 1\nnme: x\nname: ''\n").startswith("f:2:1: 'nme' is no key of the scenario")
    assert error_of("version: 1\n") == "f:1:1: the scenario needs the key 'name'"


def test_the_version_comes_first() -> None:
    """A document of a newer version is not blamed for what it adds."""
    assert error_of("nme: x\nversion: 7\n").startswith("f:2:10: version: version 7 is newer")


def test_a_missing_key_is_placed_at_the_mapping_that_lacks_it() -> None:
    """Nodes and the source have keys of their own."""
    head = "version: 1\nname: x\nquestion: y\nreading: stream\narms: off\nsource: {chunk: 1x1}\nnodes:\n"

    assert error_of(head + "  a:\n    inputs: source\n") == "f:9:5: node 'a' needs the key 'op'"
    assert error_of(head + "  a: {op: abs}\n  b: 3\n") == "f:9:6: node 'b': expected a mapping, not '3'"
    assert error_of(head + "  a: {op: abs, opp: 1}\n").startswith("f:8:16: 'opp' is no key of node 'a'.")


def test_text_from_the_document_is_data() -> None:
    """Markup and control characters are quoted, never obeyed."""
    text = error_of('version: 1\n"[red]\\e[31m": 1\n')

    assert text.startswith("f:2:1: '[red]\\x1b[31m' is no key of the scenario.")
