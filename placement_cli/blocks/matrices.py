"""Reading a weight matrix in any of the forms people keep one in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placement_cli.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUMBERS = "biufc"
"""Kinds of NumPy dtype that are weights: bool, integers, unsigned integers, floats, complex."""


class UnusableWeights(UsageError, ValueError):
    """The weights are no matrix of numbers, or not the matrix a plan was made for."""


class WrongInput(UsageError, ValueError):
    """An x that the weights cannot multiply."""


def is_mlx(array: Any) -> bool:
    """Whether `array` is an array of MLX; MLX is not imported to find out."""
    return type(array).__module__.startswith("mlx.")


def is_sparse(matrix: Any) -> bool:
    """Whether `matrix` is a sparse array or matrix of SciPy."""
    return hasattr(matrix, "tocsr") and hasattr(matrix, "nnz")


def read_matrix(weights: Any) -> Any:
    """Return `weights` (inputs x outputs) as a NumPy array, or as canonical CSR where it is sparse.

    NumPy and MLX arrays that need no conversion are views, nothing is copied. Raises UnusableWeights for what
    has not two axes, holds no numbers (objects, text, dates) or masks some of them.
    """
    matrix = _canonical(weights) if is_sparse(weights) else _dense(weights)
    if matrix.ndim != 2:
        raise UnusableWeights(
            f"Weights have {matrix.ndim} axes (shape {matrix.shape}); a matrix of inputs x outputs has 2."
        )
    if matrix.dtype.kind not in NUMBERS:
        raise UnusableWeights(
            f"Weights of type {matrix.dtype} are not numbers; convert them, for example with .astype(float)."
        )
    return matrix


def _dense(weights: Any) -> NDArray[Any]:
    import numpy as np

    if isinstance(weights, np.ma.MaskedArray) and np.ma.getmaskarray(weights).any():
        raise UnusableWeights("Weights are partly masked; fill the masked entries first, for example with 0.")
    if is_mlx(weights):
        return _from_mlx(weights)
    try:
        return np.asarray(weights)
    except ValueError as error:
        raise UnusableWeights(f"Weights are no rectangular array: {error}.") from error


def _from_mlx(weights: Any) -> NDArray[Any]:
    import mlx.core as mx
    import numpy as np

    if weights.dtype == mx.bfloat16:  # NumPy has no such type; float32 holds every value of it
        weights = weights.astype(mx.float32)
    return np.array(weights, copy=False)


def _canonical(weights: Any) -> Any:
    """Return CSR with sorted, unique, nonzero entries; the caller's matrix stays as it is."""
    csr = weights.tocsr()
    if csr.has_canonical_format and (csr.data != 0).all():
        return csr
    csr = csr.copy()
    csr.sum_duplicates()
    csr.eliminate_zeros()
    return csr
