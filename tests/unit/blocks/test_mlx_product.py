from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from placement_cli.blocks.channels import Channels
from placement_cli.blocks.formulation import Kind
from placement_cli.blocks.matrices import WrongInput
from placement_cli.blocks.plan import BlockPlan, Run, Section


def _plan(kind: Kind, **more: Any) -> BlockPlan:
    return BlockPlan(8, 8, (Section((Run(kind, 0, 2, 0, 2, count=4, row_step=2),)),), **more)


KINDS = [Kind.LOOP, Kind.BATCH, Kind.GATHER_MM]


def _close(done: mx.array, expected: mx.array) -> None:
    assert done.dtype == expected.dtype
    assert done.shape == expected.shape
    assert mx.allclose(done, expected, rtol=1e-2 if done.dtype == mx.bfloat16 else 1e-5).item()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("shape", [(8,), (5, 8), (0, 8), (3, 5, 8)])
def test_x_may_have_any_leading_axes(kind: Kind, compiled: bool, shape: tuple[int, ...], banks: Any) -> None:
    """Shape and values are those of the dense product, compiled or not."""
    weights = mx.array(banks([(2, 2)] * 4))
    x = mx.random.uniform(shape=shape)
    _close(_plan(kind, compiled=compiled).bind(weights)(x), x @ weights)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [mx.float16, mx.bfloat16, mx.complex64, mx.int32, mx.bool_])
def test_the_type_of_the_result_is_that_of_the_dense_product(kind: Kind, dtype: mx.Dtype, banks: Any) -> None:
    """Weights of any type are promoted with x as MLX promotes them."""
    weights = mx.array(banks([(2, 2)] * 4)).astype(dtype)
    x = mx.random.uniform(shape=(5, 8))
    _close(_plan(kind).bind(weights)(x), x @ weights)
    if mx.issubdtype(dtype, mx.inexact):
        _close(_plan(kind).bind(weights)(x.astype(dtype)), x.astype(dtype) @ weights)


@pytest.mark.parametrize("kind", [*KINDS, Kind.ELEMENTWISE])
def test_matrices_of_integers_are_refused(kind: Kind) -> None:
    """MLX multiplies no integer matrices; the error says what to do, in every way of computing."""
    plan = BlockPlan(4, 4, (Section((Run(kind, 0, 1, 0, 1, count=4, row_step=1),)),))
    bound = plan.bind(mx.eye(4, dtype=mx.int32))
    with pytest.raises(WrongInput, match="convert"):
        bound(mx.ones((2, 4), dtype=mx.int32))


def test_other_numbers_of_channels_are_refused(banks: Any) -> None:
    """The error names the shape of x and the channels the weights take."""
    with pytest.raises(WrongInput, match=r"x has shape \(5, 9\); these weights take \(\.\.\., 8\)"):
        _plan(Kind.LOOP).bind(mx.array(banks([(2, 2)] * 4)))(mx.ones((5, 9)))


@pytest.mark.parametrize(("start", "step"), [(6, -2), (0, 2), (6, -1), (0, 1)])
@pytest.mark.parametrize("kind", KINDS)
def test_blocks_may_overlap_and_run_backwards(kind: Kind, start: int, step: int) -> None:
    """Windows over the inputs need not follow one another."""
    rows = 2 if abs(step) == 2 else 3
    plan = BlockPlan(10, 8, (Section((Run(kind, start, rows, 0, 2, count=4, row_step=step),)),))
    weights = np.zeros((10, 8), np.float32)
    for block in plan.blocks:
        weights[block] = np.random.default_rng(0).random((rows, 2))
    x = mx.random.uniform(shape=(5, 10))
    _close(plan.bind(mx.array(weights))(x), x @ mx.array(weights))


def test_sections_and_zeros_come_to_their_places() -> None:
    """Outputs by index, in place, written twice and by none are as in the dense product."""
    sections = (
        Section((Run(Kind.LOOP, 0, 4, 0, 3),), out_index=Channels([7, 1, 3])),
        Section((Run(Kind.LOOP, 2, 2, 4, 2),)),
        Section((Run(Kind.THIN, 0, 8, 5, 1),)),
        Section((Run(Kind.THIN, 6, 1, 0, 8),), accumulates=True),
    )
    rng = np.random.default_rng(0)
    weights = np.zeros((8, 8), np.float32)
    weights[:4, [1, 3, 7]], weights[2:4, 4] = rng.random((4, 3)), 1
    weights[:, 5], weights[6] = rng.random(8), rng.random(8)
    x = mx.random.uniform(shape=(5, 8))
    _close(BlockPlan(8, 8, sections).bind(mx.array(weights))(x), x @ mx.array(weights))


def test_gaps_between_slices_are_filled_without_an_index(banks: Any) -> None:
    """Zeros before, between and behind the blocks need no gather."""
    weights = np.zeros((4, 9), np.float32)
    weights[:2, 1:3] = weights[2:, 5:7] = 1
    plan = BlockPlan(4, 9, (Section((Run(Kind.LOOP, 0, 2, 1, 2), Run(Kind.LOOP, 2, 2, 5, 2))),))
    x = mx.random.uniform(shape=(5, 4))
    _close(plan.bind(mx.array(weights))(x), x @ mx.array(weights))
    nothing = BlockPlan(4, 9, ())
    _close(nothing.bind(mx.zeros((4, 9)))(x), mx.zeros((5, 9)))


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16])
@pytest.mark.parametrize("tile", [32, 64])
def test_masked_products_skip_tiles_of_zeros(dtype: mx.Dtype, tile: int, banks: Any) -> None:
    """Sizes need not be whole tiles, and types that the masked kernel lacks are computed all the same."""
    weights = mx.array(banks([(40, 50)] * 3)).astype(dtype)
    plan = BlockPlan(120, 150, (Section((Run(Kind.MASKED_MM, 0, 120, 0, 150, count=9, tile=tile),)),))
    x = mx.random.uniform(shape=(5, 120)).astype(dtype)
    done, expected = plan.bind(weights)(x), x @ weights
    assert mx.allclose(done, expected, rtol=1e-2).item()
    assert done.dtype == expected.dtype


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.complex64])
def test_shared_sums_and_diagonals(dtype: mx.Dtype) -> None:
    """Common references and diagonals give the dense product within rounding."""
    weights = np.kron(np.eye(3), np.eye(8) - 1 / 8).astype(np.complex64 if dtype == mx.complex64 else np.float32)
    shared = BlockPlan(24, 24, (Section((Run(Kind.SHARED_SUM, 0, 8, 0, 8, count=3, row_step=8),)),))
    mirrored = BlockPlan(4, 4, (Section((Run(Kind.ELEMENTWISE, 3, 1, 0, 1, count=4, row_step=-1),)),))
    x = mx.random.uniform(shape=(5, 24)).astype(dtype)
    expected = x @ mx.array(weights).astype(dtype)
    assert mx.allclose(shared.bind(mx.array(weights).astype(dtype))(x), expected, atol=5e-3).item()
    flipped = mx.array(np.diag(np.arange(1.0, 5))[::-1].astype(weights.dtype)).astype(dtype)
    _close(mirrored.bind(flipped)(x[:, :4]), x[:, :4] @ flipped)
