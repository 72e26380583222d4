"""What the modes do to one array and to trees of arrays."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.materialize import MaterializeMode, materialize, materialize_array

PendingOps = Callable[..., int]
Recording = Any
EVALUATING = [MaterializeMode.SYNC, MaterializeMode.ASYNC, "sync", "async"]


@dataclass
class Message:
    """A message as ezmsg has them, with an array in a field."""

    data: Any
    key: str = ""


def lazy(value: float = 1.0) -> Any:
    """Return an array with three operations pending."""
    return mx.abs(mx.array([value, -value]) * mx.array([2.0, 2.0]) + mx.array([1.0, 1.0]))


@pytest.mark.parametrize("mode", EVALUATING)
def test_evaluating_cuts_the_graph_and_returns_the_same_array(mode: str, pending_ops: PendingOps) -> None:
    """SYNC and ASYNC leave nothing pending, and give back the object they were given."""
    array = lazy()
    assert pending_ops(array) == 3
    assert materialize_array(array, mode) is array
    assert pending_ops(array) == 0
    assert array.tolist() == [3.0, 1.0]


@pytest.mark.parametrize("mode", [MaterializeMode.OFF, "off"])
def test_off_leaves_the_array_lazy(mode: str, pending_ops: PendingOps) -> None:
    """OFF is an exact pass-through."""
    array = lazy()
    assert materialize_array(array, mode) is array
    assert materialize(array, mode=mode) is array
    assert pending_ops(array) == 3


@pytest.mark.parametrize(
    ("mode", "names"),
    [("sync", ["eval"]), ("async", ["async_eval"]), ("off", [])],
    ids=str,
)
def test_each_mode_makes_the_call_it_is_documented_to_make(mode: str, names: list[str], recording: Recording) -> None:
    """SYNC is one `mx.eval`, ASYNC one `mx.async_eval`, OFF no call at all."""
    array = lazy()
    with recording() as calls:
        materialize_array(array, mode)
        materialize({"out": [array]}, mode=mode)
    assert [name for name, _ in calls] == names * 2
    assert all(arrays[0] is array for _, arrays in calls)


def test_sync_is_the_default(recording: Recording) -> None:
    """Without a mode an evaluation point waits."""
    with recording() as calls:
        materialize_array(lazy())
        materialize(lazy(), lazy())
    assert [name for name, _ in calls] == ["eval", "eval"]


@pytest.mark.parametrize(
    "data",
    [np.arange(3), [1, 2], None, "text", object(), Message(lazy())],
    ids=["ndarray", "list", "nothing", "text", "object", "message"],
)
@pytest.mark.parametrize("mode", MaterializeMode)
def test_what_is_no_mlx_array_passes_through(data: object, mode: MaterializeMode, recording: Recording) -> None:
    """Every other backend and object is returned untouched, without a word."""
    with recording() as calls, warnings.catch_warnings():
        warnings.simplefilter("error")
        assert materialize_array(data, mode) is data
    assert calls == []


@pytest.mark.parametrize("data", [np.arange(3), None, lazy()], ids=["numpy", "none", "mlx"])
@pytest.mark.parametrize("point", [materialize_array, lambda data, mode: materialize(data, mode=mode)])
def test_a_wrong_mode_is_refused_for_every_backend(data: object, point: Callable[..., Any]) -> None:
    """The mode is checked before the data, so a mistake shows on every machine."""
    with pytest.raises(ValueError, match="'sync', 'async', 'off'"):
        point(data, "eager")


def test_nothing_imports_mlx(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process without MLX stays without it, whatever it materializes."""
    for name in [name for name in sys.modules if name == "mlx" or name.startswith("mlx.")]:
        monkeypatch.delitem(sys.modules, name)
    data = np.arange(3)
    assert materialize_array(data, "sync") is data
    assert materialize([data], mode="async") == [data]
    assert not any(name == "mlx" or name.startswith("mlx.") for name in sys.modules)


def test_an_array_of_a_subclass_is_evaluated(recording: Recording) -> None:
    """Arrays of a user's own class are handed to MLX like any other."""
    special = type("Special", (mx.array,), {})([1.0])
    with recording() as calls:
        assert materialize_array(special) is special
    assert [name for name, _ in calls] == ["eval"]


def test_several_trees_are_evaluated_in_one_call(recording: Recording, pending_ops: PendingOps) -> None:
    """Output, state and message cost one submission together and come back as they were."""
    out, state, message = lazy(1.0), {"layer": [lazy(2.0)]}, Message(lazy(3.0))
    with recording() as calls:
        returned = materialize(out, state, message, mode="async")
    assert [(name, len(arrays)) for name, arrays in calls] == [("async_eval", 3)]
    assert returned[0] is out
    assert returned[1] is state
    assert returned[2] is message
    assert pending_ops(out, state["layer"][0], message.data) == 0


def test_one_tree_comes_back_as_itself_and_none_as_an_empty_tuple() -> None:
    """What goes in comes out: one tree is not wrapped."""
    tree = [lazy()]
    assert materialize(tree) is tree
    assert materialize() == ()


def test_state_that_no_output_needs_is_cut_when_it_is_passed_along(pending_ops: PendingOps) -> None:
    """An output evaluated alone leaves the state beside it growing; passed together, both stay flat."""
    alone = together = mx.array([0.0])
    for _ in range(5):
        alone, together = alone + mx.array([1.0]), together + mx.array([1.0])
        materialize(lazy())
        materialize(lazy(), together)
    assert pending_ops(alone) == 5
    assert pending_ops(together) == 0


def test_an_empty_array_forces_only_what_it_depends_on(pending_ops: PendingOps) -> None:
    """A slice of length zero evaluates its origin; an empty array made afresh leaves it pending."""
    origin, other = lazy(), lazy()
    materialize_array(origin[:0])
    materialize_array(mx.zeros((0,)))
    assert (pending_ops(origin), pending_ops(other)) == (0, 3)


def test_a_failed_computation_is_reported(pending_ops: PendingOps) -> None:
    """The error of MLX reaches the caller who waits, once, and does no harm afterwards."""
    singular = mx.linalg.inv(mx.zeros((2, 2)), stream=mx.cpu)
    with pytest.raises(RuntimeError, match="LU factorization failed"):
        materialize_array(singular)
    assert materialize_array(lazy()).tolist() == [3.0, 1.0]


def test_async_inside_a_transformation_is_refused_by_mlx() -> None:
    """What MLX does not allow while it traces is not hidden."""

    def loss(x: Any) -> Any:
        return materialize_array(x * 2, "async").sum()

    with pytest.raises(ValueError, match="Not allowed inside a graph transformation"):
        mx.grad(loss)(mx.array([1.0, 2.0]))


nested = st.recursive(
    st.just("array") | st.none() | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | inner.map(Message)
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(tree=nested, mode=st.sampled_from(["sync", "async"]))
def test_every_array_of_a_random_tree_is_detached(tree: Any, mode: str, pending_ops: PendingOps) -> None:
    """No array keeps its graph, however deep in lists, tuples, dicts and messages it sits."""
    arrays: list[Any] = []
    filled = _filled(tree, arrays)
    materialize(lazy(), filled, mode=mode)
    assert sum(pending_ops(array) for array in arrays) == 0


def _filled(tree: Any, arrays: list[Any]) -> Any:
    """Put a lazy array wherever the drawn tree says so, and list it in `arrays`."""
    if isinstance(tree, Message):
        return Message(_filled(tree.data, arrays))
    if isinstance(tree, dict):
        return {key: _filled(value, arrays) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return type(tree)(_filled(value, arrays) for value in tree)
    if isinstance(tree, str):
        arrays.append(lazy())
        return arrays[-1]
    return tree
