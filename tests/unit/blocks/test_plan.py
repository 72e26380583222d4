from __future__ import annotations

import pickle
from typing import Any

import mlx.core as mx
import numpy as np

from placement_cli.blocks.channels import Channels
from placement_cli.blocks.formulation import BlockShape, Kind, Part
from placement_cli.blocks.plan import BlockPlan, Run, Section, apply_block_plan

TWO = Section((Run(Kind.LOOP, 0, 2, 0, 3, count=2, row_step=2),))


def test_blocks_are_slices_as_ezmsg_users_know_them() -> None:
    """A loop over two blocks in place has their slices and no permutation."""
    plan = BlockPlan(4, 6, (TWO,))
    assert plan.blocks == ((slice(0, 2), slice(0, 3)), (slice(2, 4), slice(3, 6)))
    assert (plan.n_blocks, plan.in_perm, plan.out_perm) == (2, None, None)
    assert plan.is_tiling


def test_permutations_say_what_the_blocks_tile() -> None:
    """`weights[in_perm][:, out_perm]` by blocks, put back in order, is the product."""
    order_in, order_out = Channels([3, 1, 0, 2]), Channels([5, 0, 1, 4, 2, 3])
    plan = BlockPlan(4, 6, (Section(TWO.runs, order_in, order_out),))
    rng = np.random.default_rng(0)
    weights = np.zeros((4, 6))
    for rows, columns in plan.blocks:
        weights[np.ix_(plan.in_perm[rows], plan.out_perm[columns])] = rng.random((2, 3))
    x = rng.random((5, 4))
    permuted = weights[plan.in_perm][:, plan.out_perm]
    done = np.concatenate([x[:, plan.in_perm][:, r] @ permuted[r, c] for r, c in plan.blocks], axis=1)
    inverse = np.argsort(plan.out_perm)
    np.testing.assert_allclose(done[:, inverse], x @ weights)
    np.testing.assert_allclose(apply_block_plan(plan, x, weights), x @ weights)


def test_only_plans_that_write_all_outputs_in_order_are_tilings() -> None:
    """Gaps, thin products and several sections need this package's own executors."""
    gap = Section((Run(Kind.LOOP, 0, 2, 0, 3),))
    thin = Section((Run(Kind.THIN, 0, 4, 5, 1),))
    assert not BlockPlan(4, 6, (gap,)).is_tiling
    assert not BlockPlan(4, 6, (TWO, thin)).is_tiling
    assert not BlockPlan(4, 6, ()).is_tiling


def test_outputs_that_nothing_writes_are_zero_columns() -> None:
    """Gaps before, between and behind what sections write are named; accumulating sections write nothing."""
    indexed = Section((Run(Kind.LOOP, 0, 1, 0, 2),), out_index=Channels([6, 4]))
    adding = Section((Run(Kind.THIN, 0, 1, 0, 9),), accumulates=True)
    plan = BlockPlan(4, 9, (Section((Run(Kind.LOOP, 0, 2, 1, 2),)), indexed, adding))
    assert plan.zero_columns == ((0, 1), (3, 4), (5, 6), (7, 9))
    assert BlockPlan(4, 6, (TWO,)).zero_columns == ()


def test_the_formulation_counts_what_the_plan_does() -> None:
    """Parts, gathered channels, gathers and zeros are those of the sections."""
    thin = Section((Run(Kind.THIN, 0, 2, 0, 9),), in_index=Channels([0, 3]), accumulates=True)
    band = Section((Run(Kind.ELEMENTWISE, 0, 1, 6, 1, count=2, row_step=1),))
    formulation = BlockPlan(4, 9, (Section(TWO.runs, out_index=Channels([2, 1, 0, 3, 4, 5])), band, thin)).formulation
    assert formulation.parts == (
        Part(Kind.LOOP, BlockShape(2, 3), 2),
        Part(Kind.ELEMENTWISE, BlockShape(2, 2)),
        Part(Kind.THIN, BlockShape(2, 9), accumulates=True),
    )
    assert (formulation.gathered_in, formulation.gathered_out, formulation.gathers) == (2, 6, 2)
    assert formulation.zero_filled_out == 1


def test_plans_are_values() -> None:
    """Plans are compared, hashed and pickled by value."""
    plan = BlockPlan(4, 6, (Section(TWO.runs, Channels([1, 0, 2, 3])),), notes=("a note",))
    twin = BlockPlan(4, 6, (Section(TWO.runs, Channels([1, 0, 2, 3])),), notes=("a note",))
    back = pickle.loads(pickle.dumps(plan))
    assert plan == twin == back
    assert hash(plan) == hash(back)
    assert b"float" not in pickle.dumps(plan)


def test_one_off_use_follows_the_library_of_x(banks: Any) -> None:
    """An x of MLX gives an array of MLX, an x of NumPy one of NumPy, whatever holds the weights."""
    weights = banks([(2, 3)] * 2)
    x = np.ones((1, 4), np.float32)
    lazy = apply_block_plan(BlockPlan(4, 6, (TWO,)), mx.array(x), weights)
    assert isinstance(lazy, mx.array)
    np.testing.assert_allclose(np.array(lazy), x @ weights, rtol=1e-6)
    np.testing.assert_allclose(apply_block_plan(BlockPlan(4, 6, (TWO,)), x, mx.array(weights)), x @ weights, rtol=1e-6)


def test_a_masked_product_is_one_block() -> None:
    """How many of its tiles are not zero does not change what it reads and writes."""
    plan = BlockPlan(64, 96, (Section((Run(Kind.MASKED_MM, 0, 64, 0, 96, count=5, tile=32),)),))
    assert plan.blocks == ((slice(0, 64), slice(0, 96)),)
    assert (plan.n_blocks, plan.zero_columns) == (1, ())
    assert plan.formulation.macs == 5 * 32 * 32
