"""Where values stand, and how messages say so."""

from __future__ import annotations

import pytest

from placement_cli.errors import UsageError
from placement_cli.located.places import QUOTED_CHARACTERS, Given, Places, at, quoted

PLACES = Places("f.yaml", values={(): (1, 1), ("nodes",): (4, 3)}, keys={("nodes",): (3, 1)})


def test_a_value_is_placed_by_file_line_and_column() -> None:
    """The place of a value reads FILE:LINE:COLUMN."""
    assert PLACES.of("nodes") == "f.yaml:4:3"


def test_a_value_that_is_not_written_has_the_place_of_what_is_around_it() -> None:
    """Defaults and missing values are placed at the nearest value around them."""
    assert PLACES.of("nodes", "filter", "params", 3) == "f.yaml:4:3"
    assert PLACES.of("absent") == "f.yaml:1:1"


def test_a_key_has_a_place_of_its_own() -> None:
    """Errors about a key point at the key, errors about an unwritten one at what is around it."""
    assert PLACES.of_key("nodes") == "f.yaml:3:1"
    assert PLACES.of_key("nodes", "filter") == "f.yaml:4:3"


def test_a_document_without_marks_is_placed_by_its_name() -> None:
    """Where nothing is known of lines, the name of the document is the place."""
    assert Places("f.yaml", {}, {}).of("x") == "f.yaml"


def test_errors_carry_their_place() -> None:
    """Every way to make an error puts the place in front of the message."""
    assert str(PLACES.error(("nodes",), "is wrong")) == "f.yaml:4:3: is wrong"
    assert str(Given(3, "--set 'a=3'").error("is wrong")) == "--set 'a=3': is wrong"
    with pytest.raises(UsageError, match=r"^here: is wrong$"), at("here"):
        raise UsageError("is wrong")


def test_at_leaves_other_exceptions_alone() -> None:
    """Only usage errors are about a place in a document."""
    with pytest.raises(KeyError), at("here"):
        raise KeyError("x")


def test_quoted_text_is_short_and_has_no_control_characters() -> None:
    """Text from a document cannot move the cursor of a terminal, nor fill its screen."""
    shown = quoted("\x1b[31m" + "x" * 500)

    assert "\x1b" not in shown
    assert len(shown) <= QUOTED_CHARACTERS + 10
