from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.blocks.matrices import UnusableWeights
from placement_cli.blocks.partition import contiguous_block_partition

Tiles = list[tuple[slice, slice]]


def _bounds(tiles: Tiles) -> list[tuple[int, int, int, int]]:
    return [(r.start, r.stop, c.start, c.stop) for r, c in tiles]


def _finest(mask: np.ndarray) -> int:
    """How many tiles there can be at most: cuts (row, column) with nothing right above or left below."""
    rows, columns = mask.shape
    cuts = [
        (i, j) for i in range(1, rows) for j in range(1, columns) if not mask[:i, j:].any() and not mask[i:, :j].any()
    ]
    longest: dict[tuple[int, int], int] = {}
    for i, j in cuts:
        longest[i, j] = 1 + max((n for (a, b), n in longest.items() if a < i and b < j), default=0)
    return 1 + max(longest.values(), default=0)


@settings(deadline=None, max_examples=150)
@given(st.integers(1, 12), st.integers(1, 12), st.sampled_from([0.02, 0.1, 0.2, 0.5]), st.integers(0, 10**6))
def test_tiles_cover_everything_once_and_are_the_finest(rows: int, columns: int, density: float, seed: int) -> None:
    """Tiles follow one another without a gap, hold every nonzero, and no finer tiling has more of them."""
    mask = np.random.default_rng(seed).random((rows, columns)) < density
    tiles = contiguous_block_partition(mask)
    covered = np.zeros_like(mask)
    row = column = 0
    for r, c in tiles:
        assert (r.start, c.start) == (row, column)
        assert r.stop > r.start
        assert c.stop > c.start
        covered[r, c] = True
        row, column = r.stop, c.stop
    assert (row, column) == mask.shape
    assert not (mask & ~covered).any()
    assert len(tiles) <= _finest(mask)
    used = mask.any(axis=1).all() and mask.any(axis=0).all()
    assert not used or len(tiles) == _finest(mask)


def test_unused_rows_join_the_tile_before_and_unused_columns_the_one_after() -> None:
    """Rows and columns of zeros belong to a neighbouring tile, those behind the last are one of their own."""
    weights = np.zeros((10, 10))
    weights[0:2, 0:2] = 1
    weights[5:7, 2:4] = 1
    assert _bounds(contiguous_block_partition(weights)) == [(0, 5, 0, 2), (5, 9, 2, 4), (9, 10, 4, 10)]


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (3, 3), (1, 5), (5, 1)])
def test_without_weights_one_tile_is_everything(shape: tuple[int, int]) -> None:
    """Empty matrices and matrices of zeros are one tile."""
    assert _bounds(contiguous_block_partition(np.zeros(shape))) == [(0, shape[0], 0, shape[1])]


@pytest.mark.parametrize("form", [sp.csr_array, sp.coo_array, mx.array, np.asfortranarray, lambda w: w.tolist()])
def test_every_form_of_matrix_gives_the_same_tiles(form: Any, banks: Any) -> None:
    """Sparse, MLX, column-major and nested lists are read like an array."""
    weights = banks([(2, 3), (1, 1), (4, 2)])
    assert _bounds(contiguous_block_partition(form(weights))) == [(0, 2, 0, 3), (2, 3, 3, 4), (3, 7, 4, 6)]


def test_what_has_not_two_axes_is_refused() -> None:
    """A vector is no matrix."""
    with pytest.raises(UnusableWeights, match="2"):
        contiguous_block_partition(np.ones(3))
