from __future__ import annotations

import tracemalloc
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph

from placement_cli.blocks.finding import find_structure, is_constant_off_diagonal
from placement_cli.blocks.matrices import UnusableWeights
from placement_cli.blocks.structure import Arrangement

assert scipy.sparse.csgraph  # loaded here, so that its import is not counted where memory is traced


def _reference(channels: int, banks: int) -> np.ndarray:
    bank = np.eye(channels, dtype=np.float32) - np.float32(1 / channels)
    return np.kron(np.eye(banks, dtype=np.float32), bank)


def test_arrangements_are_told_apart(banks: Any, shuffled: Any) -> None:
    """In order, in another order, shuffled, diagonal, band, dense and empty are each called by name."""
    blocks = banks([(4, 4)] * 4)
    band = sum(np.eye(64, k=k) for k in (-1, 0, 1))
    cases = {
        Arrangement.CONTIGUOUS: blocks,
        Arrangement.REORDERED: np.roll(blocks, 8, axis=1),
        Arrangement.PERMUTED: shuffled(blocks),
        Arrangement.DIAGONAL: np.diag(np.arange(1.0, 9)),
        Arrangement.BAND: band,
        Arrangement.DENSE: np.ones((5, 7)),
        Arrangement.EMPTY: np.zeros((5, 7)),
    }
    assert {name: find_structure(weights).arrangement for name, weights in cases.items()} == {
        name: name for name in cases
    }


@pytest.mark.parametrize("form", [sp.csr_array, sp.coo_array, mx.array, np.asfortranarray])
def test_every_form_of_matrix_has_the_same_structure(form: Any, banks: Any, shuffled: Any) -> None:
    """Sparse, MLX and column-major matrices give the components of the array they hold."""
    weights = shuffled(banks([(3, 5), (9, 9), (1, 4)]))
    plain, other = find_structure(weights), find_structure(form(weights))
    assert other.describe() == plain.describe()
    assert other.pattern.components.rows.tolist() == plain.pattern.components.rows.tolist()
    assert other.pattern.components.columns.tolist() == plain.pattern.components.columns.tolist()


@pytest.mark.parametrize("order", ["C", "F"])
def test_nearly_empty_masks_are_searched_as_lists(order: Any) -> None:
    """A permutation among many channels is found whatever its memory order."""
    places = np.random.default_rng(0).permutation(300)
    weights = np.zeros((300, 300), np.float32, order=order)
    weights[np.arange(300), places] = 2
    blocks = find_structure(weights).pattern.components
    assert blocks.rows.tolist() == list(range(300))
    assert blocks.columns.tolist() == places.tolist()


def test_one_dense_column_is_taken_out_of_the_blocks(banks: Any) -> None:
    """A column that ties all blocks together is named, and the rest is what it is without it."""
    weights = banks([(16, 16)] * 8)
    weights[:, 5] = 1
    weights[100, :] = 1
    structure = find_structure(weights)
    assert structure.crossing is not None
    assert structure.crossing.columns == (5,)
    assert structure.crossing.rows == (100,)
    assert len(structure.crossing.rest.components) == 8
    assert "1 dense row (100) and 1 dense column (5)" in structure.describe()


def test_half_of_the_weights_at_random_are_no_structure() -> None:
    """A matrix with zeros everywhere is dense: no row or column crosses anything."""
    weights = np.random.default_rng(0).random((200, 200)) < 0.5
    structure = find_structure(weights)
    assert structure.arrangement is Arrangement.DENSE
    assert structure.crossing is None


def test_unused_channels_are_counted() -> None:
    """Rows and columns of zeros are unused inputs and outputs."""
    weights = np.zeros((6, 7))
    weights[1:3, 2:4] = 1
    structure = find_structure(weights)
    assert (structure.unused_inputs, structure.unused_outputs) == (4, 5)
    assert "Unused: 4 inputs, 5 outputs." in structure.describe()


def test_nearly_zero_weights_are_reported_and_kept(banks: Any, shuffled: Any) -> None:
    """Rounding left by an inversion is counted and named; without a tolerance the matrix stays dense."""
    weights = np.linalg.pinv(shuffled(banks([(8, 8)] * 4) + 20 * np.eye(32)).astype(np.float64))
    weights += 1e-16
    structure = find_structure(weights)
    assert structure.arrangement is Arrangement.DENSE
    assert structure.nearly_zero == 32 * 32 - 4 * 64
    assert structure.dropped == 0
    assert "768 weights nearly zero" in structure.describe()


def test_a_tolerance_drops_small_weights_and_bounds_the_error(banks: Any) -> None:
    """With a tolerance blocks appear, and the bound is the largest sum of dropped magnitudes of a column."""
    weights = banks([(8, 8)] * 4).astype(np.float64)
    noise = 1e-10 * np.random.default_rng(0).standard_normal(weights.shape)
    structure = find_structure(weights + noise, 1e-8)
    lost = np.where(weights == 0, np.abs(noise), 0).sum(axis=0).max()
    assert structure.arrangement is Arrangement.CONTIGUOUS
    assert structure.dropped == 32 * 32 - 4 * 64
    assert structure.error_bound == pytest.approx(lost)
    sparse = find_structure(sp.csr_array(weights + noise), 1e-8)
    assert sparse.error_bound == pytest.approx(lost)
    assert sparse.describe() == structure.describe()
    assert "no output moves by more than" in structure.describe()


@pytest.mark.parametrize("tolerance", [-0.1, 1.0, np.nan])
def test_a_tolerance_is_a_share_of_the_largest_weight(tolerance: float) -> None:
    """Values outside [0, 1) are refused."""
    with pytest.raises(ValueError, match="tolerance"):
        find_structure(np.ones((2, 2)), tolerance)


def test_not_a_number_and_infinity_tie_channels_together(banks: Any) -> None:
    """NaN and infinity are weights like any other, and are said to be there."""
    weights = banks([(2, 2)] * 2)
    weights[0, 3] = np.nan
    weights[3, 0] = -np.inf
    structure = find_structure(weights)
    assert structure.arrangement is Arrangement.DENSE
    assert structure.not_finite
    assert structure.largest < 3
    assert "NaN or infinity" in structure.describe()


def test_the_most_negative_integer_has_a_magnitude() -> None:
    """The magnitude of -128 is 128 although no int8 holds it."""
    assert find_structure(np.array([[-128, 0]], np.int8)).largest == 128


def test_common_references_are_diagonals_plus_a_constant(shuffled: Any) -> None:
    """Blocks whose weights off the diagonal are all equal are recognised, also one that is the whole matrix."""
    assert find_structure(_reference(16, 4)).pattern.shared_sums == (True,) * 4
    assert find_structure(_reference(16, 1)).pattern.shared_sums == (True,)
    spoilt = _reference(16, 4)
    spoilt[3, 7] *= 2
    assert find_structure(spoilt).pattern.shared_sums == (False, True, True, True)
    assert find_structure((_reference(16, 2) != 0).astype(int)).pattern.shared_sums == (False, False)
    assert find_structure(sp.csr_array(_reference(16, 2))).pattern.shared_sums == (True, True)


def test_a_diagonal_that_is_not_finite_is_no_shared_sum() -> None:
    """A block with NaN on its diagonal cannot be taken apart into sums."""
    block = np.ones((8, 8))
    assert is_constant_off_diagonal(block, 1.0)
    block[2, 2] = np.nan
    assert not is_constant_off_diagonal(block, 1.0)


@pytest.mark.parametrize("kind", ["dense", "half", "blocks", "shuffled"])
def test_finding_takes_little_memory(kind: str, banks: Any, shuffled: Any) -> None:
    """Beside the matrix it takes about one byte a weight, whatever there is to find."""
    size = 2048
    rng = np.random.default_rng(0)
    make = {
        "dense": lambda: rng.random((size, size), dtype=np.float32) + 1,
        "half": lambda: (rng.random((size, size), dtype=np.float32) > 0.5).astype(np.float32),
        "blocks": lambda: banks([(256, 256)] * 8),
        "shuffled": lambda: shuffled(banks([(256, 256)] * 8)),
    }
    weights = make[kind]()
    tracemalloc.start()
    try:
        find_structure(weights)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 1.2 * weights.size


def test_a_vector_is_refused() -> None:
    """Structure is that of a matrix."""
    with pytest.raises(UnusableWeights):
        find_structure(np.ones(4))
