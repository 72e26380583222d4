"""Backends that products are timed on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.errors import UsageError
from placement_cli.measure.products.backends import (
    BACKENDS,
    DTYPES,
    RUN_AHEAD,
    ProductBackend,
    check_dtype,
    open_backend,
    run_submitting,
    run_waiting,
)


def test_an_unknown_backend_is_named_with_the_nearest() -> None:
    """A name that is none is a usage error."""
    with pytest.raises(UsageError, match="Did you mean 'mlx-gpu'"):
        open_backend("mlx-gpus")


def test_element_types_are_those_a_backend_is_timed_in() -> None:
    """Every backend has float32; NumPy refuses short floats and a GPU doubles."""
    for backend in BACKENDS:
        check_dtype(backend, "float32")
    for backend, dtype in (("numpy", "bfloat16"), ("mlx-gpu", "float64"), ("mlx-cpu", "int8")):
        with pytest.raises(UsageError, match=f"not timed on {backend}"):
            check_dtype(backend, dtype)


@pytest.mark.parametrize("name", ["numpy", "mlx-cpu"])
def test_arrays_go_there_and_back(name: str) -> None:
    """Values survive within the precision of the type, doubles to the last bit."""
    backend, values = open_backend(name), np.random.default_rng(0).standard_normal((3, 2))
    for dtype in DTYPES[name]:
        made = backend.array(values, dtype)
        assert str(made.dtype).endswith(dtype)
        eps = {"float16": 1e-3, "bfloat16": 1e-2, "float32": 1e-7, "float64": 0.0}[dtype]
        np.testing.assert_allclose(backend.to_numpy(made), values, rtol=eps)


def test_a_run_computes_so_many_products(backend: ProductBackend) -> None:
    """Nothing is left to do when it returns."""
    done: list[Any] = []
    x = backend.array(np.ones((2, 3)), "float32")

    def bound(x: Any) -> Any:
        done.append(x @ x.T)
        return done[-1]

    backend.run(bound, [x], 2 * RUN_AHEAD)
    assert [backend.to_numpy(y)[0, 0] for y in done] == [3.0] * 2 * RUN_AHEAD


def test_a_waiting_run_calls_one_after_another() -> None:
    """Each call gets the next of the chunks, in turn."""
    seen: list[str] = []
    run_waiting(seen.append, ["x", "z"], 3)
    assert seen == ["x", "z", "x"]


@given(st.integers(0, 5 * RUN_AHEAD))
@settings(deadline=None)
def test_a_submitting_run_is_never_far_ahead(calls: int) -> None:
    """At most one more than `RUN_AHEAD` products are outstanding, and all are waited for, the oldest first."""
    submitted: list[int] = []
    waited: list[int] = []
    most = 0

    def submit(y: int) -> None:
        nonlocal most
        submitted.append(y)
        most = max(most, len(submitted) - len(waited))

    run_submitting(lambda _: len(submitted), [None], calls, submit, waited.append)
    assert submitted == waited == list(range(calls))
    assert most == min(calls, RUN_AHEAD + 1)
