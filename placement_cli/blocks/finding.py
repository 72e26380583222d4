"""Finding the structure of a weight matrix, at about the price of reading it when there is none.

Every pass is worth its price before it is made: most matrices without structure are known as such from the
extents of their rows and columns. Beside the matrix there is one byte a weight (the mask of nonzeros) and
pieces of bounded size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from placement_cli.blocks.components import Components, components_of
from placement_cli.blocks.crossing import find_crossing
from placement_cli.blocks.extents import Numbers, extents_of, nonzero_mask, row_chunks
from placement_cli.blocks.matrices import is_sparse, read_matrix
from placement_cli.blocks.structure import Pattern, Structure

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPARSE_SHARE = 128
"""A mask with fewer than one nonzero in so many weights is turned into a list of its nonzeros, which is
faster to search and takes no more than an eighth of a byte a weight."""
NEARLY_ZERO_SINGLE = 1e-6
NEARLY_ZERO_DOUBLE = 1e-12
"""Weights below this share of the largest are reported: rounding in the precision of their type (machine
epsilon is 1.2e-7 and 2.2e-16; a pseudo-inverse left 5e-14 in double precision)."""
SHARED_SUM_CHANNELS = 8
"""Blocks with fewer channels are not worth looking at for a diagonal plus a constant."""


def find_structure(weights: Any, tolerance: float = 0.0) -> Structure:
    """Return the structure of `weights` (inputs x outputs; NumPy, SciPy sparse or MLX).

    With a `tolerance` above 0, weights whose magnitude is at most that share of the largest count as zero.
    Raises UnusableWeights for weights that are no matrix of numbers, ValueError for a tolerance outside
    [0, 1).
    """
    if not 0.0 <= tolerance < 1.0:
        raise ValueError(f"tolerance is {tolerance}; it is a share of the largest weight: 0 <= tolerance < 1")
    matrix = read_matrix(weights)
    scale = _scale_of(matrix)
    threshold = tolerance * scale.largest
    small = _small_weights(matrix, scale, threshold)
    pattern, mask = _pattern_of(matrix, threshold)
    n_in, n_out = matrix.shape
    return Structure(
        n_in,
        n_out,
        pattern=pattern,
        crossing=find_crossing(mask, pattern, lambda rest: _searched(rest)[0]),
        largest=scale.largest,
        nearly_zero=small.nearly_zero,
        nearly_zero_limit=scale.nearly_zero_limit,
        tolerance=tolerance,
        threshold=threshold,
        dropped=small.dropped,
        error_bound=small.error_bound,
        not_finite=scale.not_finite,
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    largest: float
    not_finite: bool
    nearly_zero_limit: float


@dataclass(frozen=True, slots=True)
class _Small:
    nearly_zero: int
    dropped: int
    error_bound: float


def largest_weight(matrix: Any) -> float:
    """Return the largest finite magnitude among the weights, 0 when there is none."""
    return _scale_of(matrix).largest


def _pieces(matrix: Any) -> list[NDArray[Any]]:
    return [matrix.data] if is_sparse(matrix) else [matrix[rows] for rows in row_chunks(matrix)]


def _scale_of(matrix: Any) -> _Scale:
    largest, not_finite = 0.0, False
    for piece in _pieces(matrix):
        magnitudes = _magnitudes(piece)
        top = float(magnitudes.max(initial=0))
        if not np.isfinite(top):
            not_finite = True
            top = float(magnitudes[np.isfinite(magnitudes)].max(initial=0))
        largest = max(largest, top)
    single = matrix.dtype in (np.float16, np.float32, np.complex64)
    share = NEARLY_ZERO_SINGLE if single else NEARLY_ZERO_DOUBLE
    return _Scale(largest, not_finite, share * largest if matrix.dtype.kind in "fc" else 0.0)


def _magnitudes(piece: NDArray[Any]) -> NDArray[Any]:
    """Return absolute values in a type that holds them: |-128| is no int8."""
    if piece.dtype.kind == "i":
        return np.abs(piece.astype(np.float64))
    magnitudes: NDArray[Any] = np.abs(piece)
    return magnitudes


def _small_weights(matrix: Any, scale: _Scale, threshold: float) -> _Small:
    """Count the weights under the two limits, and sum those under `threshold` by column."""
    nearly_zero = dropped = 0
    lost = np.zeros(matrix.shape[1])
    if scale.largest == 0.0 or (scale.nearly_zero_limit == 0.0 and threshold == 0.0):
        return _Small(0, 0, 0.0)
    at = 0
    for piece in _pieces(matrix):
        magnitudes = _magnitudes(piece)
        nonzeros = int(np.count_nonzero(magnitudes))
        nearly_zero += _below(magnitudes, scale.nearly_zero_limit, nonzeros)
        if threshold > 0.0:
            dropped += _below(magnitudes, threshold, nonzeros)
            lost += _lost_by_column(magnitudes, threshold, matrix, at)
        at += len(piece)
    return _Small(nearly_zero, dropped, float(lost.max(initial=0.0)))


def _below(magnitudes: NDArray[Any], limit: float, nonzeros: int) -> int:
    """Count the magnitudes in (0, limit]."""
    return int(np.count_nonzero(magnitudes <= limit)) - (magnitudes.size - nonzeros)


def _lost_by_column(magnitudes: NDArray[Any], threshold: float, matrix: Any, at: int) -> NDArray[np.float64]:
    small = np.where(magnitudes <= threshold, magnitudes, 0).astype(np.float64)
    if is_sparse(matrix):
        columns = matrix.indices[at : at + len(small)]
        return np.bincount(columns, small, minlength=matrix.shape[1]).astype(np.float64)
    return small.sum(axis=0, dtype=np.float64, out=np.empty(matrix.shape[1]))


def _pattern_of(matrix: Any, threshold: float) -> tuple[Pattern, Any]:
    """Return the pattern and the mask (or sparse matrix) it was found in."""
    if is_sparse(matrix):
        pattern, mask = _searched(_thresholded(matrix, threshold))
    else:
        pattern, mask = _searched(nonzero_mask(matrix, threshold))
    shared = shared_sums(matrix, pattern.components)
    return Pattern(pattern.nonzero, pattern.extents, pattern.components, shared), mask


def _thresholded(csr: Any, threshold: float) -> Any:
    if threshold <= 0.0:
        return csr
    kept = csr.copy()
    kept.data[_magnitudes(kept.data) <= threshold] = 0
    kept.eliminate_zeros()
    return kept


def _searched(mask: Any) -> tuple[Pattern, Any]:
    """Search a mask or canonical CSR; masks that are nearly empty go on as CSR."""
    nonzero = mask.nnz if is_sparse(mask) else int(np.count_nonzero(mask))
    if not is_sparse(mask) and nonzero * SPARSE_SHARE <= mask.size:
        mask = _as_sparse(mask)
    extents = extents_of(mask)
    components = components_of(mask, extents, nonzero)
    return Pattern(int(nonzero), extents, components, (False,) * len(components)), mask


def _as_sparse(mask: NDArray[np.bool_]) -> Any:
    from scipy.sparse import csr_array

    flipped = mask.flags.f_contiguous and not mask.flags.c_contiguous
    straight = np.ascontiguousarray(mask.T if flipped else mask)
    flat = np.flatnonzero(straight)
    width = max(straight.shape[1], 1)
    rows, columns = flat // width, (flat % width).astype(np.int32)
    starts = np.searchsorted(rows, np.arange(straight.shape[0] + 1)).astype(np.int32)
    found = csr_array((np.ones(len(flat), np.bool_), columns, starts), shape=straight.shape)
    return found.T.tocsr() if flipped else found


def shared_sums(matrix: Any, components: Components) -> tuple[bool, ...]:
    """Return of every component whether it is a diagonal plus one constant: square, equal off the diagonal.

    Input i of a block and output i are those of equal place among its channels. Integers are left out: a sum
    of small integers may overflow where the product would not.
    """
    square = (components.n_rows == components.n_columns) & (components.n_rows >= SHARED_SUM_CHANNELS)
    if matrix.dtype.kind not in "fc":
        square[:] = False
    return tuple(
        bool(candidate) and _is_shared_sum(matrix, components.rows_of(k), components.columns_of(k))
        for k, candidate in enumerate(square)
    )


def _is_shared_sum(matrix: Any, rows: Numbers, columns: Numbers) -> bool:
    constant = matrix[rows[0], columns[1]]
    if not np.isfinite(constant) or any(matrix[rows[i], columns[0]] != constant for i in (1, 2, -1)):
        return False
    return is_constant_off_diagonal(_block(matrix, rows, columns), constant)


def _block(matrix: Any, rows: Numbers, columns: Numbers) -> NDArray[Any]:
    block: NDArray[Any]
    if is_sparse(matrix):
        block = matrix[rows][:, columns].toarray()
    elif _whole(rows) and _whole(columns):
        block = matrix[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    else:
        block = matrix[np.ix_(rows, columns)]
    return block


def _whole(numbers: Numbers) -> bool:
    return bool(numbers[-1] - numbers[0] + 1 == len(numbers))


def is_constant_off_diagonal(block: NDArray[Any], constant: Any) -> bool:
    """Whether every weight of a square block is `constant`, its finite diagonal aside."""
    diagonal = block.diagonal()
    if not np.isfinite(diagonal).all():
        return False
    on_diagonal = int(np.count_nonzero(diagonal == constant))
    equal = sum(int(np.count_nonzero(block[rows] == constant)) for rows in row_chunks(block))
    return equal - on_diagonal == block.size - len(block)
