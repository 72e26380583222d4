from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from placement_cli.blocks.channels import Channels
from placement_cli.blocks.formulation import Kind
from placement_cli.blocks.matrices import WrongInput
from placement_cli.blocks.plan import BlockPlan, Run, Section

BATCH = BlockPlan(8, 8, (Section((Run(Kind.BATCH, 0, 2, 0, 2, count=4, row_step=2),)),))
DENSE = BlockPlan(8, 8, (Section((Run(Kind.DENSE, 0, 8, 0, 8),)),))


@pytest.mark.parametrize("plan", [BATCH, DENSE])
@pytest.mark.parametrize("shape", [(8,), (5, 8), (1, 8), (0, 8), (3, 5, 8), (2, 0, 8), (2, 1, 3, 8)])
def test_x_may_have_any_leading_axes(plan: BlockPlan, shape: tuple[int, ...], banks: Any) -> None:
    """Shape and values are those of the dense product, for one sample, none, and many axes."""
    weights = banks([(2, 2)] * 4)
    x = np.random.default_rng(0).random(shape).astype(np.float32)
    done = plan.bind(weights)(x)
    assert done.shape == (x @ weights).shape
    np.testing.assert_allclose(done, x @ weights, rtol=1e-6)


@pytest.mark.parametrize("plan", [BATCH, DENSE])
@pytest.mark.parametrize("shape", [(), (7,), (5, 9), (8, 5)])
def test_other_numbers_of_channels_are_refused(plan: BlockPlan, shape: tuple[int, ...], banks: Any) -> None:
    """The error names the shape of x and the channels the weights take."""
    with pytest.raises(WrongInput, match=r"these weights take \(\.\.\., 8\)"):
        plan.bind(banks([(2, 2)] * 4))(np.ones(shape))


@pytest.mark.parametrize("x_type", ["f4", "f8", "i2", "?", "c8"])
@pytest.mark.parametrize("weights_type", ["f4", "f8", "i1", "?", "c16"])
def test_the_type_of_the_result_is_that_of_the_dense_product(x_type: str, weights_type: str, banks: Any) -> None:
    """Mixed types are promoted as NumPy promotes them, imaginary parts and overflow included."""
    weights = (banks([(2, 2)] * 4) * 60).astype(weights_type)
    if weights.dtype.kind == "c":
        weights *= 1 + 2j
    x = np.arange(16).reshape(2, 8).astype(x_type)
    done, expected = BATCH.bind(weights)(x), x @ weights
    assert done.dtype == expected.dtype
    np.testing.assert_allclose(done, expected, rtol=1e-5)


@pytest.mark.parametrize("view", [lambda x: x[:, ::2], lambda x: x.T[:8].T, lambda x: x[::-1, 8:]])
def test_views_of_larger_chunks_are_read_in_place(view: Any, banks: Any) -> None:
    """Strided, reversed and column-major chunks give the same product."""
    weights = banks([(2, 2)] * 4)
    x = view(np.random.default_rng(0).random((6, 16)).astype(np.float32))
    for plan in (BATCH, DENSE):
        np.testing.assert_allclose(plan.bind(weights)(x), x @ weights, rtol=1e-6)


@pytest.mark.parametrize("order", [[3, 2, 1, 0, 7, 6, 5, 4], [5, 1, 4, 2, 0, 7, 3, 6]])
@pytest.mark.parametrize("kept", [8, 6, 4, 1])
def test_outputs_written_by_index_come_to_their_places(order: list[int], kept: int) -> None:
    """All outputs, most of them or few are put in their places, zeros in all others."""
    index = order[:kept]
    plan = BlockPlan(8, 8, (Section((Run(Kind.LOOP, 0, 8, 0, kept),), out_index=Channels(index)),))
    weights = np.zeros((8, 8))
    weights[:, index] = np.random.default_rng(0).random((8, kept))
    x = np.random.default_rng(1).random((5, 8))
    np.testing.assert_allclose(plan.bind(weights)(x), x @ weights)


def test_a_later_section_writes_between_the_outputs_of_an_earlier_one() -> None:
    """Outputs of two sections that alternate do not spoil one another."""
    sections = (
        Section((Run(Kind.LOOP, 0, 4, 0, 4),), out_index=Channels([7, 1, 3, 5])),
        Section((Run(Kind.LOOP, 4, 4, 0, 3),), out_index=Channels([0, 4, 2])),
        Section((Run(Kind.LOOP, 2, 2, 6, 1),)),
    )
    weights = np.zeros((8, 8))
    rng = np.random.default_rng(0)
    weights[:4, 1::2], weights[4:, :5:2], weights[2:4, 6] = rng.random((4, 4)), rng.random((4, 3)), 1
    x = rng.random((5, 8))
    np.testing.assert_allclose(BlockPlan(8, 8, sections).bind(weights)(x), x @ weights)


@pytest.mark.parametrize(("start", "step"), [(6, -2), (0, 2), (6, -1), (0, 1), (1, 0)])
def test_blocks_of_a_batch_may_overlap_and_run_backwards(start: int, step: int) -> None:
    """Windows over the inputs need not follow one another."""
    plan = BlockPlan(10, 8, (Section((Run(Kind.BATCH, start, 3, 0, 2, count=4, row_step=step),)),))
    weights = np.zeros((10, 8))
    rng = np.random.default_rng(0)
    for rows, columns in plan.blocks:
        weights[rows, columns] = rng.random((3, 2))
    x = rng.random((5, 10))
    np.testing.assert_allclose(plan.bind(weights)(x), x @ weights)


def test_a_diagonal_may_run_backwards_to_the_first_input() -> None:
    """The mirrored diagonal, down to input 0, is one multiplication."""
    plan = BlockPlan(4, 4, (Section((Run(Kind.ELEMENTWISE, 3, 1, 0, 1, count=4, row_step=-1),)),))
    weights = np.diag(np.arange(1.0, 5))[::-1]
    x = np.random.default_rng(0).random((3, 4))
    np.testing.assert_allclose(plan.bind(weights)(x), x @ weights)


def test_not_a_number_stays_within_its_block(banks: Any) -> None:
    """A NaN reaches the outputs of its own block alone, as the plan's note says."""
    done = BATCH.bind(banks([(2, 2)] * 4))(np.array([[np.nan, 1, 1, 1, 1, 1, 1, 1]], np.float32))
    assert np.isnan(done[0]).tolist() == [True, True] + [False] * 6


def test_a_masked_product_of_mlx_is_one_product_here(banks: Any) -> None:
    """NumPy computes the same values from a plan made for MLX."""
    weights = banks([(32, 32)] * 3)
    plan = BlockPlan(96, 96, (Section((Run(Kind.MASKED_MM, 0, 96, 0, 96, count=3, tile=32),)),))
    x = np.random.default_rng(0).random((5, 96)).astype(np.float32)
    np.testing.assert_allclose(plan.bind(weights)(x), x @ weights, rtol=1e-5)
