from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from placement_cli.blocks.binding import bound_sections
from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.matrices import UnusableWeights
from placement_cli.blocks.planner import choose
from placement_cli.blocks.pricing import upstream_price


def _plan(weights: Any, price: Any, name: str, tolerance: float = 0.0) -> Any:
    choices = choose(find_structure(weights, tolerance), 30, price)
    return next(choice.plan for choice in choices if choice.formulation.name == name)


def test_weights_outside_the_blocks_are_never_dropped(banks: Any, numpy_price: Any) -> None:
    """Binding a plan to weights that reach beyond its blocks is refused, and says how many would be lost."""
    weights = banks([(64, 64)] * 8)
    plan = _plan(weights, numpy_price, "batch")
    weights[0, 500] = weights[500, 0] = np.nan
    with pytest.raises(UnusableWeights, match="2 nonzero weights lie outside"):
        plan.bind(weights)


def test_other_weights_of_the_same_structure_can_be_bound(banks: Any, numpy_price: Any) -> None:
    """A plan serves an adaptive filter whose weights change where they were nonzero."""
    plan = _plan(banks([(64, 64)] * 8), numpy_price, "batch")
    changed = banks([(64, 64)] * 8, seed=5) * -2
    x = np.random.default_rng(0).random((30, 512)).astype(np.float32)
    np.testing.assert_allclose(plan.bind(changed)(x), x @ changed, rtol=1e-3, atol=1e-3)


def test_the_callable_keeps_its_own_weights(banks: Any, numpy_price: Any) -> None:
    """Changing the array afterwards changes nothing."""
    weights = banks([(64, 64)] * 8)
    for name in ("batch", "loop", "dense"):
        bound = _plan(weights, numpy_price, name).bind(weights)
        x = np.ones((2, 512), np.float32)
        before = bound(x).copy()
        kept = weights.copy()
        weights[:] = 0
        np.testing.assert_array_equal(bound(x), before)
        weights[:] = kept


def test_weights_of_another_shape_are_refused(banks: Any, numpy_price: Any) -> None:
    """The error names both shapes."""
    plan = _plan(banks([(64, 64)] * 8), numpy_price, "batch")
    with pytest.raises(UnusableWeights, match="64 x 512 for a plan of 512 x 512"):
        plan.bind(np.ones((64, 512)))


def test_an_unknown_backend_is_refused(banks: Any, numpy_price: Any) -> None:
    """The error names the backends there are."""
    weights = banks([(64, 64)] * 8)
    with pytest.raises(ValueError, match="'numpy' or 'mlx'"):
        _plan(weights, numpy_price, "batch").bind(weights, "torch")


def test_blocks_that_lost_their_constant_are_refused(numpy_price: Any) -> None:
    """A plan that sums blocks serves weights of that form alone."""
    weights = np.kron(np.eye(8), np.eye(64) - 1 / 64)
    plan = _plan(weights, numpy_price, "shared-sum")
    x = np.random.default_rng(0).random((30, 512))
    np.testing.assert_allclose(plan.bind(weights * 2)(x), 2 * x @ weights, atol=1e-12)
    weights[0, 1] = 5
    with pytest.raises(UnusableWeights, match="plus one constant"):
        plan.bind(weights)


def test_dense_rows_and_columns_are_left_out_of_the_blocks_they_cross(banks: Any, numpy_price: Any) -> None:
    """Where a dense row crosses a block and a dense column, every weight counts once."""
    weights = banks([(64, 64)] * 8)
    weights[100, :] = 3
    weights[[7, 9], :] = 2
    weights[:, 300] = 4
    plan = _plan(weights, numpy_price, "permuted batch + thin")
    x = np.random.default_rng(0).random((30, 512)).astype(np.float32)
    for form in (weights, sp.csr_array(weights)):
        np.testing.assert_allclose(plan.bind(form)(x), x @ weights, rtol=1e-5)


def test_with_a_tolerance_small_weights_outside_the_blocks_are_dropped(banks: Any, numpy_price: Any) -> None:
    """Only what the tolerance covers may be lost, and the error keeps its bound."""
    weights = banks([(64, 64)] * 8) + 1e-7 * np.random.default_rng(0).standard_normal((512, 512))
    structure = find_structure(weights, 1e-6)
    plan = _plan(weights, numpy_price, "batch", 1e-6)
    x = np.random.default_rng(1).uniform(-1, 1, (30, 512))
    error = np.abs(plan.bind(weights)(x) - x @ weights).max()
    assert 0 < error <= structure.error_bound
    assert any("are dropped" in note for note in plan.notes)
    weights[0, 500] = 1e-3
    with pytest.raises(UnusableWeights, match="1 nonzero weights"):
        plan.bind(weights)


@pytest.mark.parametrize("order", ["C", "F"])
def test_weights_are_kept_row_after_row(order: str) -> None:
    """However the matrix lies in memory, as a transposed one, its blocks are multiplied in the fast order."""
    matrix = np.asarray(np.kron(np.eye(2), np.ones((3, 4))), order=order)  # type: ignore[call-overload] # by name
    for choice in choose(find_structure(matrix), 10, upstream_price()):
        for section in bound_sections(choice.plan, matrix):
            assert all(run.weights.flags.c_contiguous for run in section.runs)
