"""NumPy gives the same results and errors for MLX's arrays, and reading them is seen."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from placement_cli.tracing.block import tracing
from placement_cli.tracing.raw import RawProcess

Traced = Callable[[Callable[[], Any]], RawProcess]


def row() -> mx.array:
    """Return three numbers that are still lazy."""
    return mx.array([1.0, 2.0, 3.0]) * 1.5


def half() -> mx.array:
    """Return numbers of a type that NumPy does not have."""
    return mx.array([1.0, 2.0, 3.0]).astype(mx.bfloat16)


def into(array: Any, change: Callable[[Any], Any]) -> Any:
    """Return what an array is after a change in place."""
    change(array)
    return array


def add_in_place(array: Any, other: Any) -> None:
    """Add with `+=`."""
    array += other


OPERATIONS: dict[str, Callable[[], Any]] = {
    "sqrt": lambda: np.sqrt(row()),
    "add": lambda: np.add(np.ones(3), row()),
    "operator": lambda: np.ones(3) + row(),
    "reflected": lambda: row() + np.ones(3, np.float32),
    "scalar": lambda: np.float32(2) * row(),
    "double": lambda: np.float64(2) ** row(),
    "integer": lambda: np.int64(2) - row(),
    "compare": lambda: np.ones(3) < row(),
    "equal": lambda: np.ones(3) == row(),
    "matmul": lambda: np.ones((2, 3)) @ row(),
    "divmod": lambda: np.divmod(row(), 2),
    "frexp": lambda: np.frexp(row()),
    "typed": lambda: np.add(row(), 1, dtype=np.float64),
    "into": lambda: np.add(row(), 1, out=np.zeros(3)),
    "into mlx": lambda: np.add(np.ones(3), 1, out=row()),
    "where": lambda: np.add(np.ones(3), 1, out=np.zeros(3), where=mx.array([True, False, True])),
    "reduce": lambda: np.add.reduce(row()),
    "accumulate": lambda: np.add.accumulate(row()),
    "outer": lambda: np.multiply.outer(row(), np.ones(2)),
    "at": lambda: into(np.zeros(3), lambda array: np.add.at(array, [0, 0], mx.ones(2))),
    "no such type": lambda: np.bitwise_and(row(), 1),
    "shapes": lambda: np.add(row(), np.ones(4)),
    "custom": lambda: np.frompyfunc(lambda each: each * 2, 1, 1)(row()),
    "linalg": lambda: np.linalg.inv(mx.eye(2)),
    "sum": lambda: np.sum(row()),
    "mean": lambda: np.mean(row()),
    "median": lambda: np.median(row()),
    "max": lambda: np.max(row()),
    "clip": lambda: np.clip(row(), 0, 2),
    "concatenate": lambda: np.concatenate([row(), np.ones(2)]),
    "stack": lambda: np.stack([row(), row()]),
    "choose": lambda: np.where(mx.array([True, False]), 1, 2),
    "dot": lambda: np.dot(row(), row()),
    "norm": lambda: np.linalg.norm(row()),
    "zeros like": lambda: np.zeros_like(row()),
    "shape": lambda: (np.shape(row()), np.ndim(row()), np.size(row())),
    "reshape": lambda: np.reshape(row(), (3, 1)),
    "close": lambda: np.allclose(row(), row()),
    "type": lambda: np.result_type(row(), np.float64),
    "histogram": lambda: np.histogram(row()),
    "fourier": lambda: np.fft.fft(row()),
    "broadcast": lambda: np.broadcast_to(row(), (2, 3)),
    "copy into": lambda: into(np.zeros(3), lambda array: np.copyto(array, row())),
    "masked": lambda: np.ma.array([1.0, 2.0, 3.0]) + row(),
    "matrix": lambda: np.asmatrix(np.ones((1, 3))) + row(),
    "array like": lambda: np.array([1.0], like=row()),
    "asarray like": lambda: np.asarray([1.0], like=row()),
    "buffer like": lambda: np.frombuffer(b"abcd", np.uint8, like=row()),
    "in place": lambda: into(np.ones(3), lambda array: add_in_place(array, row())),
    "in place integers": lambda: into(np.ones(3, int), lambda array: add_in_place(array, row())),
    "in place mlx": lambda: into(row(), lambda array: add_in_place(array, np.ones(3, np.float32))),
    "index": lambda: np.arange(4)[mx.array([1, 2])],
    "set": lambda: into(np.zeros(3), lambda array: array.__setitem__(slice(None), row())),
    "array": lambda: np.array(row()),
    "asarray": lambda: np.asarray(row()),
    "asarray typed": lambda: np.asarray(row(), np.float64),
    "keyword": lambda: np.asarray(a=row()),
    "no copy": lambda: np.array(row(), copy=False),
    "rows": lambda: np.array([row(), row()]),
    "objects": lambda: np.array([row(), mx.ones(2)], dtype=object).shape,
    "nothing": lambda: np.asarray(*[]),
    "bfloat16": lambda: np.asarray(half()),
    "bfloat16 ufunc": lambda: np.sqrt(half()),
    "bfloat16 operator": lambda: np.ones(3) + half(),
    "bfloat16 sum": lambda: np.sum(half()),
}


def outcome(operation: Callable[[], Any]) -> tuple[str, str]:
    """Return the type of what an operation gives, with its values, or the exception that it raises."""
    try:
        result = operation()
    except Exception as error:  # noqa: BLE001 - whichever it is
        return type(error).__name__, str(error)
    return f"{type(result).__name__} {getattr(result, 'dtype', '')}", repr(result)


@pytest.fixture(scope="module")
def outcomes() -> list[dict[str, tuple[str, str]]]:
    """The outcomes of all operations before, under and after tracing."""

    def now() -> dict[str, tuple[str, str]]:
        return {name: outcome(operation) for name, operation in OPERATIONS.items()}

    before = now()
    with tracing():
        under = now()
    return [before, under, now()]


@pytest.mark.parametrize("name", OPERATIONS)
def test_results_and_errors_are_those_without_hooks(outcomes: list[dict[str, tuple[str, str]]], name: str) -> None:
    """Values, types and the words of exceptions."""
    before, under, after = outcomes
    assert under[name] == before[name]
    assert after[name] == before[name]


def test_reading_through_numpy_is_seen(traced: Traced) -> None:
    """Conversions, ufuncs and functions, each under its name; arrays of NumPy are nobody's business."""

    def program() -> None:
        np.asarray(row())
        np.array(row())
        np.exp(row())
        np.concatenate([row(), row()])
        np.asarray([1.0])
        np.exp(np.ones(3))

    found = [(point.call, point.kind, point.count, point.pending_calls) for point in traced(program).points]
    assert found == [
        ("numpy.asarray", "numpy", 1, 1),
        ("numpy.array", "numpy", 1, 1),
        ("numpy.ufunc", "numpy", 1, 1),
        ("numpy.concatenate", "numpy", 1, 1),
    ]


def test_a_view_stays_a_view() -> None:
    """It shares its buffer with the array, and is not told from one without hooks."""
    array = mx.zeros(3)
    with tracing():
        view = np.asarray(array)
    view[0] = 5
    assert array.tolist() == [5.0, 0.0, 0.0]
    assert isinstance(view.base, memoryview)


def test_arrays_have_the_protocols_no_longer() -> None:
    """They are lent to them for the time of tracing."""
    with tracing():
        assert hasattr(mx.array, "__array_ufunc__")
        assert pickle.loads(pickle.dumps(np.asarray)) is np.asarray
    assert not hasattr(mx.array, "__array_ufunc__")
    assert not hasattr(mx.array, "__array_function__")


def test_names_within_numpy_are_exchanged_and_put_back() -> None:
    """NumPy's own functions convert through them."""
    from numpy.lib import _function_base_impl as inside

    before = inside.asanyarray
    with tracing():
        assert inside.asanyarray is np.asanyarray is not before
    assert inside.asanyarray is np.asanyarray is before
