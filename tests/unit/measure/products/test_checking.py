"""Products that compete must agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from placement_cli.errors import ScenarioFailed
from placement_cli.measure.products.backends import DTYPES, ProductBackend, open_backend
from placement_cli.measure.products.checking import check_products, random_chunk

NUMPY = open_backend("numpy")


def product_of(weights: Any) -> Any:
    """Return the product with these weights."""
    return lambda x: x @ weights


def test_products_that_agree_pass(backend: ProductBackend, weights: Any, plans: Any) -> None:
    """Rounding in any element type of the backend is no difference."""
    for dtype in DTYPES[backend.name]:
        typed = backend.array(weights, dtype)
        x = backend.array(random_chunk(5, 12, dtype, seed=1), dtype)
        bounds = [plan.bind(typed, backend.library) for plan in plans]
        check_products(backend, ["dense", "loop"], bounds, weights, x, dtype)


def test_a_product_that_differs_is_named(weights: Any) -> None:
    """A single weight that is slightly wrong is found, in dense and in sparse weights."""
    wrong = weights.copy()
    wrong[1, 2] *= 1.001
    x = random_chunk(8, 12, "float32", seed=1)
    for form in (weights, sp.csr_array(weights)):
        with pytest.raises(ScenarioFailed, match=r"^loop on numpy computes something else"):
            check_products(NUMPY, ["dense", "loop"], [product_of(weights), product_of(wrong)], form, x, "float32")


def test_another_shape_is_another_product(weights: Any) -> None:
    """Outputs that are missing are told before values are compared."""
    x = random_chunk(8, 12, "float32", seed=1)
    with pytest.raises(ScenarioFailed):
        check_products(NUMPY, ["short"], [product_of(weights[:, :-1])], weights, x, "float32")


@pytest.mark.parametrize("odd", [[np.nan], [np.inf], [np.inf, -np.inf]])
def test_outputs_that_are_not_finite_are_not_compared(weights: Any, odd: list[float]) -> None:
    """NaN or infinity in a column hides that column alone."""
    holed, other, wrong = weights.copy(), weights.copy(), weights.copy()
    holed[: len(odd), 3] = odd
    wrong[:, 3], wrong[5, 4] = holed[:, 3], np.nan
    x = random_chunk(4, 12, "float32", seed=1)
    check_products(NUMPY, ["other"], [product_of(other)], holed, x, "float32")
    with pytest.raises(ScenarioFailed):
        check_products(NUMPY, ["wrong"], [product_of(wrong)], holed, x, "float32")


def test_weights_under_the_tolerance_may_be_left_out(weights: Any) -> None:
    """A plan that takes small weights for zero is allowed what they add up to, and not more."""
    noisy = weights + np.where(weights == 0, 1e-3, 0).astype(np.float32)
    x = random_chunk(4, 12, "float32", seed=1)
    for form in (noisy, sp.csr_array(noisy)):
        check_products(NUMPY, ["loop"], [product_of(weights)], form, x, "float32", tolerance=1e-2)
        with pytest.raises(ScenarioFailed):
            check_products(NUMPY, ["loop"], [product_of(weights)], form, x, "float32", tolerance=1e-4)


def test_chunks_are_the_same_for_the_same_seed() -> None:
    """They are of the type asked for, float32 where NumPy has none like it."""
    for dtype, made in (("float64", "float64"), ("float16", "float16"), ("bfloat16", "float32")):
        chunk = random_chunk(3, 2, dtype, seed=4)
        assert (chunk.shape, chunk.dtype) == ((3, 2), made)
        np.testing.assert_array_equal(chunk, random_chunk(3, 2, dtype, seed=4))
    assert (random_chunk(3, 2, "float32", 4) != random_chunk(3, 2, "float32", 5)).any()
