"""What an evaluation was given is found where MLX finds it, and described where it does not."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.tracing.arguments import arrays_in, receiver

LEAVES = st.sampled_from(["lazy", 1, None, "text", {"set"}, object])
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=2), inner, max_size=3),
        st.lists(inner, max_size=2).map(deque),
    ),
    max_leaves=12,
)


@dataclass
class Message:
    data: Any
    key: str = "x"


class Slotted:
    __slots__ = ("data", "unset")

    def __init__(self, data: Any) -> None:
        self.data = data


def grown(tree: Any, arrays: list[mx.array]) -> Any:
    """Return the tree with a lazy array in place of each word `lazy`, noting them."""
    if tree == "lazy":
        arrays.append(mx.ones((2,)) + 1)
        return arrays[-1]
    if isinstance(tree, dict):
        return {key: grown(value, arrays) for key, value in tree.items()}
    if isinstance(tree, list | tuple | deque):
        return type(tree)([grown(each, arrays) for each in tree])
    return tree


def is_lazy(array: mx.array) -> bool:
    """Ask MLX."""
    try:
        mx.get_array_buffer_size(array)
    except ValueError:
        return True
    return False


@given(trees=st.lists(TREES, max_size=3))
@settings(deadline=None)
def test_found_are_exactly_the_arrays_that_mlx_evaluates(trees: list[Any]) -> None:
    """What is in sets, deques and other objects stays lazy, and is not counted."""
    arrays: list[mx.array] = []
    arguments = [grown(tree, arrays) for tree in trees]
    found = {id(each) for each in arrays_in(arguments, mx.array)}
    mx.eval(*arguments)
    assert found == {id(each) for each in arrays if not is_lazy(each)}


@pytest.mark.parametrize(
    ("given", "described"),
    [
        ((), ""),
        ((None, "text"), "NoneType, str"),
        ((Message(mx.ones(1)),), "Message(data)"),
        ((Message([mx.ones(1)]), Message(1)), "Message(data), Message"),
        ((Slotted(mx.ones(1)),), "Slotted(data)"),
        ((frozenset(),), "frozenset"),
        ((3,) * 20, ", ".join(["int"] * 6)),
    ],
)
def test_what_holds_no_array_for_mlx_is_described(given: tuple[Any, ...], described: str) -> None:
    """By its type, with the fields in which a person would see some."""
    assert receiver(given, mx.array) == described
