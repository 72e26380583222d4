from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.blocks.components import Components, components_of
from placement_cli.blocks.extents import extents_of


def _found(mask: np.ndarray, *, sparse: bool = False) -> Components:
    form = sp.csr_array(mask) if sparse else mask
    return components_of(form, extents_of(form), int(np.count_nonzero(mask)))


def _members(components: Components) -> list[tuple[list[int], list[int]]]:
    return [(components.rows_of(k).tolist(), components.columns_of(k).tolist()) for k in range(len(components))]


def _plain(mask: np.ndarray) -> list[tuple[list[int], list[int]]]:
    """Grow every component from its first row until nothing is added."""
    left = set(np.flatnonzero(mask.any(axis=1)).tolist())
    found = []
    while left:
        rows = np.zeros(len(mask), bool)
        rows[min(left)] = True
        while True:
            columns = mask[rows].any(axis=0)
            grown = mask[:, columns].any(axis=1)
            if (grown == rows).all():
                break
            rows = grown
        found.append((np.flatnonzero(rows).tolist(), np.flatnonzero(columns).tolist()))
        left -= set(found[-1][0])
    return found


@settings(deadline=None, max_examples=80)
@given(st.integers(1, 60), st.integers(1, 60), st.floats(0, 0.2), st.integers(0, 2**32 - 1))
def test_components_are_those_of_a_plain_search(rows: int, columns: int, density: float, seed: int) -> None:
    """Rows and columns tied by weights end up together, in the order of their first row, dense or sparse."""
    mask = np.random.default_rng(seed).random((rows, columns)) < density
    assert _members(_found(mask)) == _members(_found(mask, sparse=True)) == _plain(mask)


def test_a_long_chain_is_one_component() -> None:
    """Weights along two diagonals tie all channels together, though any sample of a few leaves gaps."""
    mask = np.eye(300, dtype=bool) | np.eye(300, k=1, dtype=bool)
    order = np.random.default_rng(0).permutation(300)
    assert len(_found(mask[order][:, order])) == 1


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (5, 5)])
def test_a_matrix_without_weights_has_no_components(shape: tuple[int, int]) -> None:
    """Empty matrices and matrices of zeros have none."""
    assert len(_found(np.zeros(shape, bool))) == 0


def test_large_blocks_are_counted_in_pieces() -> None:
    """Blocks larger than a chunk, scattered or not, are told apart from one that ties them together."""
    mask = np.kron(np.eye(2, dtype=bool), np.ones((150, 400), bool))
    order = np.random.default_rng(0).permutation(300)
    assert len(_found(mask)) == len(_found(mask[order])) == 2
    mask[0, -1] = True
    assert len(_found(mask)) == len(_found(mask[order])) == 1
