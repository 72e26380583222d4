"""Shares of nonzero weights by cell: never 0 where a weight is, and the same for every kind of array."""

from __future__ import annotations

import tracemalloc
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from placement_cli.blocks.matrices import UnusableWeights
from placement_cli.blocks.occupancy import cell_edges, joined, occupancy

MASKS = hnp.arrays(np.bool_, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12))
SIZES = st.integers(1, 15)


def _directly(mask: Any, columns: int, lines: int) -> Any:
    """What is meant: the mean of every cell."""
    ins, outs = cell_edges(mask.shape[0], lines), cell_edges(mask.shape[1], columns)
    return [
        [mask[ins[i] : ins[i + 1], outs[j] : outs[j + 1]].mean() for j in range(len(outs) - 1)]
        for i in range(len(ins) - 1)
    ]


@settings(deadline=None)
@given(mask=MASKS, columns=SIZES, lines=SIZES, data=st.data())
def test_every_kind_of_array_has_the_same_shares(mask: Any, columns: int, lines: int, data: st.DataObject) -> None:
    """Dense in either memory order, sparse, or MLX, in the order of channels asked for, some left out."""
    ins, outs = (
        data.draw(st.none() | st.lists(st.integers(0, size - 1), min_size=1, unique=True)) for size in mask.shape
    )
    drawn = mask if ins is None else mask[ins]
    expected = _directly(drawn if outs is None else drawn[:, outs], columns, lines)
    weights = np.where(mask, -1.5, 0.0)
    for each in (weights, np.asfortranarray(weights), sp.csc_array(weights), mx.array(weights, mx.bfloat16)):
        np.testing.assert_allclose(occupancy(each, columns, lines, ins, outs), expected, rtol=1e-12)


@settings(deadline=None)
@given(mask=MASKS, columns=SIZES, lines=SIZES)
def test_only_cells_without_a_weight_are_empty(mask: Any, columns: int, lines: int) -> None:
    """All weights are counted, once, in the cells and in larger cells joined from them."""
    shares = occupancy(mask, columns, lines)
    for larger in (7, 3, 1):
        cells = joined(shares, *mask.shape, larger, larger)
        areas = np.diff(cells.in_edges)[:, None] * np.diff(cells.out_edges)
        assert (cells.shares * areas).sum() == pytest.approx(mask.sum())
        assert (cells.in_edges[-1], cells.out_edges[-1]) == mask.shape
        in_bands = np.add.reduceat(mask, cells.in_edges[:-1], axis=0, dtype=int)
        assert ((cells.shares > 0) == (np.add.reduceat(in_bands, cells.out_edges[:-1], axis=1) > 0)).all()


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "f8", "c8"])
def test_a_single_column_of_4096_is_seen(dtype: str) -> None:
    """One weight in 85 of a cell, whatever the type."""
    weights = np.zeros((4096, 4096), dtype)
    weights[:, 2000] = 1
    shares = occupancy(weights, 48, 24)
    assert np.flatnonzero(shares.all(axis=0)).tolist() == [23]
    assert np.count_nonzero(shares) == 24


def test_nan_counts_and_stored_zeros_do_not() -> None:
    """NaN and infinity are weights; a zero that a sparse matrix stores is none."""
    assert occupancy(np.array([[np.nan, 0.0, np.inf]]), 3, 1).tolist() == [[1, 0, 1]]
    assert occupancy(sp.csr_array(([0.0, 2.0], ([0, 0], [0, 1])), shape=(1, 2)), 2, 1).tolist() == [[0, 1]]


def test_memory_is_a_byte_a_weight_at_most() -> None:
    """A matrix is read in pieces, in any order of its channels."""
    weights = np.ones((1024, 2048), np.float32)
    backwards = np.arange(1024)[::-1]
    tracemalloc.start()
    occupancy(weights, 48, 24, in_order=backwards)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes <= weights.size


def test_matrices_without_channels_have_no_cells() -> None:
    """And neither have orders without channels."""
    assert occupancy(np.ones((0, 5)), 3, 3).shape == (0, 3)
    assert occupancy(sp.csr_array((5, 5)), 3, 3, in_order=[]).shape == (0, 3)


def test_what_cannot_be_drawn_is_told() -> None:
    """No cells, or no matrix."""
    with pytest.raises(ValueError, match="a picture of 0 columns and 3 lines has no cells"):
        occupancy(np.ones((2, 2)), 0, 3)
    with pytest.raises(UnusableWeights, match="Weights have 1 axes"):
        occupancy(mx.ones((3,)), 2, 2)
