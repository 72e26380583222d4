"""Documents given as Python values: plain ones within limits, each with the keys that lead to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from placement_cli.errors import UsageError
from placement_cli.located.mappings import read_mapping
from placement_cli.located.yaml import YamlLimits

LIMITS = YamlLimits("a graph", max_bytes=1024, max_depth=3, max_values=20)


def test_values_come_out_plain() -> None:
    """Tuples become lists, numbers of NumPy numbers; the copy shares nothing with what was given."""
    given = {"a": (1, 2.5), "b": {"c": np.int64(3), "d": np.float32(0.5), "e": None, "f": True}, "g": np.str_("x")}

    data, _ = read_mapping(given, "graph", LIMITS)

    assert data == {"a": [1, 2.5], "b": {"c": 3, "d": 0.5, "e": None, "f": True}, "g": "x"}
    assert [type(value) for value in data["b"].values()] == [int, float, type(None), bool]


def test_places_are_keys() -> None:
    """What is not there has the place of what is around it, and marks follow the order in which values are given."""
    _, places = read_mapping({"a": {"b": [1]}, "c": 2}, "graph", LIMITS)

    assert places.of("a", "b", 0) == "graph['a']['b'][0]"
    assert places.of("a", "x", "y") == "graph['a']"
    assert places.of_key("a", "b") == "graph['a']['b']"
    assert places.of_key("a", "x") == "graph['a']"
    assert str(places.error((), "is wrong")) == "graph: is wrong"
    assert places.mark("a", "b") < places.key_mark("c") < places.mark("c")


itself: dict[str, Any] = {}
itself["a"] = itself


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"a": float("inf")}, "graph['a']: expected a plain value"),
        ({"a": 10**64}, "graph['a']: expected a plain value"),
        ({"a": b"x"}, "graph['a']: expected a plain value"),
        ({"a": {1, 2}}, "graph['a']: expected a plain value"),
        ({"a": 1j}, "graph['a']: expected a plain value"),
        ({"a": {1: 2}}, "graph['a']: a key must be a name"),
        ({"": 2}, "graph: a key must be a name"),
        ({"a": [[[1]]]}, "graph['a'][0][0]: nested deeper than 3 levels"),
        (itself, "graph['a']['a']['a']: nested deeper than 3 levels"),
        ({"a": range}, "graph['a']: expected a plain value"),
        ({"a": [0] * 20}, "graph['a'][17]: more than 20 keys and values"),
    ],
)
def test_anything_else_is_refused_with_its_keys(given: Any, message: str) -> None:
    """Before anything is made of it."""
    with pytest.raises(UsageError) as raised:
        read_mapping(given, "graph", LIMITS)

    assert str(raised.value).startswith(message)
