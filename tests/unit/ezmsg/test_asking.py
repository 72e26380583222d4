from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np
import pytest
import scipy.sparse as sp

from placement_cli.blocks.formulation import Kind
from placement_cli.blocks.matrices import UnusableWeights
from placement_cli.ezmsg import upstream_plan, use_profile
from placement_cli.ezmsg.asking import MOST_WRITTEN_OUT
from placement_cli.profile.profile import Profile


def _random(rng: np.random.Generator) -> Any:
    """Return blocks of random shapes, some rows and columns empty."""
    shapes = rng.integers(1, 120, (int(rng.integers(1, 9)), 2))
    weights = np.zeros(shapes.sum(axis=0), np.float32)
    row = column = 0
    for rows, columns in shapes.tolist():
        weights[row : row + rows, column : column + columns] = rng.standard_normal((rows, columns))
        row, column = row + rows, column + columns
    weights[rng.random(len(weights)) < 0.1] = 0
    return weights


@pytest.mark.parametrize("dispatched", [False, True])
def test_it_is_the_decision_of_the_real_planner(dispatched: bool, blockdiag: Any) -> None:
    """Blocks are upstream's, of kind loop, and computing by them gives the product; dense stays None."""
    rng, dense, planned = np.random.default_rng(0), 0, 0
    for _ in range(60):
        weights, samples = _random(rng), int(rng.integers(1, 1000))
        real = blockdiag.plan_block_matmul(weights, samples, dispatched=dispatched)
        plan = upstream_plan(weights, samples, dispatched=dispatched)
        if real is None:
            assert plan is None
            dense += 1
            continue
        planned += 1
        assert plan.blocks == real.blocks
        assert (plan.in_perm, plan.out_perm) == (None, None)
        assert {part.kind for part in plan.formulation.parts} == {Kind.LOOP}
        x = rng.standard_normal((5, len(weights))).astype(np.float32)
        np.testing.assert_allclose(plan.bind(weights)(x), x @ weights, rtol=1e-4, atol=1e-4)
    assert min(dense, planned) > 5


def test_permutations_are_kept(blockdiag: Any, hidden_banks: Any) -> None:
    """A plan that gathers channels is computed as upstream computes it."""
    shuffled = hidden_banks[np.random.default_rng(2).permutation(len(hidden_banks))]
    real = blockdiag.plan_block_matmul(shuffled, 30)
    plan = upstream_plan(shuffled, 30, dispatched=False)
    assert plan.in_perm.tolist() == real.in_perm.tolist()
    assert plan.out_perm.tolist() == real.out_perm.tolist()
    x = np.random.default_rng(3).standard_normal((4, len(shuffled))).astype(np.float32)
    np.testing.assert_allclose(plan.bind(shuffled)(x), x @ shuffled, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("form", [sp.csr_array, sp.coo_matrix, mx.array, lambda w: w.tolist()])
def test_other_forms_of_weights_are_converted(form: Any, banks: Any) -> None:
    """Sparse, MLX and nested lists are planned as the array is."""
    weights = banks([(64, 64)] * 8)
    assert upstream_plan(form(weights), 300, dispatched=False) == upstream_plan(weights, 300, dispatched=False)
    assert upstream_plan(form(weights), 300, dispatched=False).n_blocks > 1


def test_what_upstream_cannot_take_is_refused() -> None:
    """Vectors, text, sparse weights too large to write out and a number of samples that is none are errors."""
    side = int(MOST_WRITTEN_OUT**0.5) + 1
    with pytest.raises(UnusableWeights, match="2"):
        upstream_plan(np.ones(3), 30, dispatched=False)
    with pytest.raises(UnusableWeights, match="not numbers"):
        upstream_plan(np.array([["a"]]), 30, dispatched=False)
    with pytest.raises(UnusableWeights, match="too large to write out"):
        upstream_plan(sp.eye_array(side, format="csr"), 30, dispatched=False)
    with pytest.raises(ValueError, match="n_samples"):
        upstream_plan(np.eye(3), np.nan, dispatched=False)


def test_it_asks_upstream_also_while_our_planner_is_in_its_place(
    blockdiag: Any, hidden_banks: Any, on_numpy: Profile
) -> None:
    """A comparison is with upstream's own search, under the constants that are in use."""
    with use_profile(on_numpy, planner=True):
        assert upstream_plan(hidden_banks, 30, dispatched=False).n_blocks == 2
        assert blockdiag.plan_block_matmul(hidden_banks, 30).n_blocks > 2
