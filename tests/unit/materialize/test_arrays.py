"""Which arrays are found in what a caller passes, and when the caller is told that there are none."""

from __future__ import annotations

import sys
import warnings
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.materialize import EvaluateEvery, NothingMaterialized, RunAheadWindow, materialize
from placement_cli.materialize.arrays import loaded_mlx, mlx_arrays

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class Message:
    """Keeps its array the way an ezmsg AxisArray does."""

    data: Any
    dims: list[str]
    attrs: dict[str, Any] = field(default_factory=dict)
    shared: ClassVar[Any] = mx.array([0.0])


@dataclass(frozen=True, slots=True)
class Sealed:
    """A frozen message without a `__dict__`, one field of which is never set."""

    data: Any
    later: Any = field(init=False)


class Opaque:
    """A message that nobody can look into."""

    def __init__(self, data: Any) -> None:
        self.data = data


class Special(mx.array):
    """An array of a user's own class."""


Pair = namedtuple("Pair", "left right")


def same(found: tuple[Any, ...], *expected: Any) -> bool:
    """Say whether two rows of arrays are the same objects in the same order."""
    return [id(array) for array in found] == [id(array) for array in expected]


def test_plain_arrays_come_back_as_they_were_passed() -> None:
    """Arrays without trees around them take the short way."""
    arrays = (mx.array([1.0]), mx.array([2.0]))
    assert mlx_arrays(arrays) is arrays


def test_arrays_are_found_in_the_order_in_which_they_are_written() -> None:
    """Lists, tuples, dicts, named tuples and dataclasses are looked into, depth first."""
    a, b, c, d, e, f = (mx.array([float(index)]) for index in range(6))
    trees = (
        {"x": [a, (b,)]},
        Pair(c, OrderedDict(y=d)),
        Message(e, ["time"], {"gain": f}),
        3.0,
        "text",
        None,
    )
    assert same(mlx_arrays(trees), a, b, c, d, e, f)


def test_an_array_of_a_subclass_is_an_array() -> None:
    """Arrays of a user's own class are found, alone and in trees."""
    special = Special([1.0])
    assert same(mlx_arrays((special,)), special)
    assert same(mlx_arrays(([special],)), special)


def test_a_frozen_dataclass_with_an_unset_field_is_looked_into() -> None:
    """A field that has no value yet is passed over."""
    array = mx.array([1.0])
    assert same(mlx_arrays((Sealed(array),)), array)


def test_class_variables_and_classes_hold_nothing_of_a_message() -> None:
    """Only the fields of an instance count, not what all instances share."""
    array = mx.array([1.0])
    assert same(mlx_arrays((Message(array, []), Message)), array)


def test_a_tree_that_contains_itself_is_walked_once() -> None:
    """Cycles end, and what is met twice is listed once."""
    array = mx.array([1.0])
    loop: list[Any] = [array]
    loop.append(loop)
    assert same(mlx_arrays((loop, {"again": loop, "array": array})), array)


def test_a_very_deep_tree_needs_no_recursion() -> None:
    """Depth is bounded by memory alone."""
    array = mx.array([1.0])
    tree: Any = array
    for _ in range(50_000):
        tree = [tree]
    assert same(mlx_arrays((tree,)), array)


trees_of_labels = st.recursive(
    st.integers(0, 9).map(lambda label: ("leaf", label)) | st.just(("other", None)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | inner.map(lambda data: Message(data, ["time"]))
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(trees_of_labels)
def test_every_array_of_a_random_tree_is_found(tree: Any) -> None:
    """Whatever the nesting, the arrays found are those put in."""
    put_in: list[Any] = []
    trees = (_with_arrays(tree, put_in), mx.array([0.0]))
    assert same(mlx_arrays(trees), *put_in, trees[1])


def _with_arrays(tree: Any, put_in: list[Any]) -> Any:
    """Replace the labels of a drawn tree by new arrays, and note those in `put_in`."""
    if isinstance(tree, Message):
        return Message(_with_arrays(tree.data, put_in), tree.dims)
    if isinstance(tree, dict):
        return {key: _with_arrays(value, put_in) for key, value in tree.items()}
    if isinstance(tree, tuple) and tree and tree[0] == "other":
        return None
    if isinstance(tree, tuple) and tree and tree[0] == "leaf":
        put_in.append(mx.array([float(tree[1])]))
        return put_in[-1]
    return type(tree)(_with_arrays(value, put_in) for value in tree)


def test_without_mlx_nothing_is_found_and_nothing_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where MLX was never imported nothing can be its array, and no warning is due."""
    monkeypatch.delitem(sys.modules, "mlx.core")
    assert loaded_mlx() == (None, None)
    assert mlx_arrays((Opaque(1), [])) == ()
    assert "mlx.core" not in sys.modules


@pytest.mark.parametrize(
    "trees",
    [
        (),
        (None,),
        ([None, (None,)],),
        (np.zeros(3),),
        (Message(np.zeros(3), []),),
        (np.float32(1), Opaque(1)),
    ],
    ids=["nothing", "none", "nested none", "numpy", "numpy message", "numpy beside"],
)
def test_no_warning_where_nothing_was_missed(trees: tuple[object, ...]) -> None:
    """Withheld messages and arrays of other backends need no evaluation."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mlx_arrays(trees) == ()


@pytest.mark.parametrize(
    ("trees", "named"),
    [
        (([],), "an empty tree"),
        (({}, ()), "an empty tree"),
        ((Opaque(mx.array([1.0])),), "type Opaque"),
        ((None, {mx.array([1.0])}), "type set"),
        ((3.0,), "type float"),
        ((Message(Opaque(1), []),), "type Opaque"),
    ],
)
def test_a_warning_names_what_held_no_array(trees: tuple[object, ...], named: str) -> None:
    """What `mx.eval` passes over in silence is reported, by its type."""
    with pytest.warns(NothingMaterialized, match=named):
        assert mlx_arrays(trees) == ()


@pytest.mark.parametrize(
    "point", [materialize, RunAheadWindow(2), EvaluateEvery(2)], ids=["materialize", "window", "every"]
)
def test_the_warning_names_the_line_of_the_caller(point: Callable[..., Any]) -> None:
    """Every evaluation point blames the line that called it."""
    with pytest.warns(NothingMaterialized) as caught:
        point(Opaque(1))
    line = sys._getframe().f_lineno - 1
    assert [(entry.filename, entry.lineno) for entry in caught] == [(__file__, line)]


def test_one_call_site_warns_once() -> None:
    """Under Python's own default a loop gives one warning, and another line one more."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(5):
            materialize(Opaque(1), mode="async")
        materialize(Opaque(1))
    assert len(caught) == 2
