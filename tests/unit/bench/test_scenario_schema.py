"""The document's model: bounds that hold whatever the values of axes are."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from placement_cli.bench.scenario_schema import MAX_TEXT, NodeEntry, ScenarioDocument, SourceEntry, wrong


def test_a_node_defaults_to_one_copy_that_reads_the_node_before() -> None:
    """What is not written stays open, so that later defaults can depend on the place in the file."""
    node = NodeEntry.model_validate({"op": "abs"})

    assert (node.inputs, node.repeat, node.branches, node.params) == (None, None, None, {})


def test_documents_cannot_be_changed() -> None:
    """What was validated stays as it is."""
    source = SourceEntry.model_validate({"chunk": "8x4"})

    with pytest.raises(ValidationError, match="frozen"):
        source.chunk = "9x9"


@pytest.mark.parametrize("value", [True, None, [], {}, "", "x" * (MAX_TEXT + 1)])
def test_a_parameter_is_a_number_or_a_short_word(value: object) -> None:
    """Booleans, nothing, collections and long text are no values."""
    with pytest.raises(ValidationError):
        NodeEntry.model_validate({"op": "scale", "params": {"gain": value}})


def test_numbers_keep_their_type() -> None:
    """A whole number stays whole, so that an operator can insist on it."""
    node = NodeEntry.model_validate({"op": "scale", "params": {"a": 2, "b": 2.0, "c": "2"}})

    assert [type(value) for value in node.params.values()] == [int, float, str]


def test_messages_are_taken_as_they_stand() -> None:
    """Braces and percent signs in a name are no template."""
    assert str(wrong("{x} %s {message}")) == "{x} %s {message}"


def test_every_key_of_the_model_is_described_in_the_guide() -> None:
    """The guide names each key of a scenario, of its source and of its nodes."""
    from placement_cli.bench.catalog import scenario_folder

    guide = (scenario_folder().parent / "docs" / "scenarios.md").read_text()
    for model in (ScenarioDocument, SourceEntry, NodeEntry):
        for key in model.model_fields:
            assert f"`{key}`" in guide
