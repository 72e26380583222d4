"""The operators, listed."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from rich.cells import cell_len

from placement_cli.operators.catalog import OPERATORS
from placement_cli.render.operator_list import example_features, operator_list, operators_json

WIDTHS = (120, 80, 60, 40)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_operator_is_listed(width: int, printed: Callable[..., str]) -> None:
    """Name, summary, parameters and costs are there at every width, nothing cut off."""
    text = printed(operator_list(OPERATORS.values()), width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert "…" not in text
    words = " ".join(text.split())
    for operator in OPERATORS.values():
        assert operator.name in text
        assert operator.summary in words
        for parameter in operator.parameters:
            assert f"{parameter.name}=" in words


def test_counts_agree_with_their_nouns(printed: Callable[..., str]) -> None:
    """One op is no ops."""
    assert "1 op, 1 kernel, " in " ".join(printed(operator_list([OPERATORS["abs"]])).split())


def test_state_and_withheld_output_are_told(printed: Callable[..., str]) -> None:
    """Operators that carry state or withhold output say so, others do not."""
    text = " ".join(printed(operator_list([OPERATORS["sosfilt"], OPERATORS["bin"], OPERATORS["abs"]]), 200).split())
    assert text.count("of state") == sum(OPERATORS[name].carries_state for name in ("sosfilt", "bin", "abs"))
    assert text.count("may withhold output") == 1


def test_the_json_holds_what_the_list_does() -> None:
    """Every operator is there with its parameters, bounds and example costs."""
    document = json.loads(operators_json(OPERATORS.values()))
    assert (document["schema"], document["schema_version"]) == ("placement.operators", "1.0.0")
    assert [entry["name"] for entry in document["operators"]] == list(OPERATORS)
    for entry in document["operators"]:
        operator = OPERATORS[entry["name"]]
        assert entry["example"]["ops"] == example_features(operator).ops
        assert [parameter["name"] for parameter in entry["parameters"]] == [p.name for p in operator.parameters]


def test_no_operators_are_a_list_too(printed: Callable[..., str]) -> None:
    """Nothing to list leaves the note on costs alone."""
    assert printed(operator_list([])).count("\n") == 1
