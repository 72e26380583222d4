"""Parameters of a document are checked, and objections stand at the value they are about."""

from __future__ import annotations

import pytest

from placement_cli.errors import UsageError
from placement_cli.located.places import Given
from placement_cli.operators.catalog import find_operator
from placement_cli.operators.given import check_given


def objection(operator: str, **params: int | float | str) -> str:
    """Return what is said about parameters, nothing when they are taken."""
    given = {key: Given(value, f"value of {key}") for key, value in params.items()}
    try:
        check_given(find_operator(operator), given, key_place=lambda key: f"key {key}", place="all")
    except UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (objection("sosfilt", sections=2), ""),
        (
            objection("sosfilt", section=2),
            "key section: 'section' is no parameter of sosfilt. Did you mean 'sections'?",
        ),
        (objection("abs", x=2), "key x: 'x' is no parameter of abs. It takes none."),
        (objection("sosfilt", sections=0), "value of sections: sosfilt: parameter 'sections' is 0, but must be"),
        (objection("window", length=8, hop=9), "all: window: `hop` (9) must not exceed `length` (8)."),
    ],
)
def test_objections_have_the_nearest_place(said: str, message: str) -> None:
    """That of the key, of the value, or of all values when they are wrong only together."""
    assert said.startswith(message)
    assert bool(said) == bool(message)
