from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np
import pytest
import scipy.sparse as sp

from placement_cli.blocks.matrices import UnusableWeights, is_mlx, read_matrix


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i1", "u8", "?", "c8", "c16"])
def test_arrays_of_numbers_are_taken_as_they_are(kind: str) -> None:
    """Every type of number is accepted without a copy."""
    weights = np.ones((3, 2), kind)
    assert read_matrix(weights) is weights


def test_mlx_arrays_become_arrays_of_numpy() -> None:
    """MLX arrays are read, bfloat16 as float32, which holds its every value."""
    assert read_matrix(mx.ones((2, 3))).dtype == np.float32
    half = mx.array([[1.5, -2.0]], dtype=mx.bfloat16)
    assert read_matrix(half).tolist() == [[1.5, -2.0]]
    assert is_mlx(half)
    assert not is_mlx(np.ones(2))


@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_matrix])
def test_sparse_matrices_become_canonical_csr(make: Any) -> None:
    """Sparse input of any format comes back as CSR without stored zeros."""
    dense = np.array([[0, 2.0, 0], [0, 0, -1.0]])
    found = read_matrix(make(dense))
    assert found.nnz == 2
    assert found.toarray().tolist() == dense.tolist()


def test_stored_zeros_and_duplicates_are_resolved_in_a_copy() -> None:
    """Duplicate entries add up, zeros go, and the caller's matrix stays as it was."""
    weights = sp.csr_array((np.array([1.0, 2.0, 0.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    found = read_matrix(weights)
    assert found.toarray().tolist() == [[0, 3], [0, 0]]
    assert found.nnz == 1
    assert weights.nnz == 3


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (np.ones(3), "1 axes"),
        (np.ones((2, 2, 2)), "3 axes"),
        (np.array([["a", "b"]]), "not numbers"),
        (np.array([[object(), 1]]), "not numbers"),
        (np.ma.masked_array(np.ones((2, 2)), mask=[[0, 1], [0, 0]]), "masked"),
        ([[1, 2], [3]], "rectangular"),
    ],
)
def test_what_is_no_matrix_of_numbers_is_refused(weights: Any, says: str) -> None:
    """The error says what is wrong with the weights."""
    with pytest.raises(UnusableWeights, match=says):
        read_matrix(weights)
