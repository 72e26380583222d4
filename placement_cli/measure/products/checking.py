"""Whether several ways of computing one product agree: nothing is timed that computes something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from placement_cli.blocks.finding import largest_weight
from placement_cli.errors import ScenarioFailed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from placement_cli.measure.products.backends import Bound, ProductBackend

CHECKED_SAMPLES = 4
"""Samples of the chunk that are compared: a wrong block is wrong in every one of them."""
ROUNDINGS = 8.0
"""How far a sum may lie from the exact one, in machine epsilons times the square root of the number of its terms
and the size of its terms."""


def check_products(
    backend: ProductBackend,
    names: Sequence[str],
    bounds: Sequence[Bound],
    weights: Any,
    x: Any,
    dtype: str,
    tolerance: float = 0.0,
) -> None:
    """Compare the products of the first samples with one in double precision.

    `weights` is dense or sparse, inputs x outputs; `x` a chunk of the backend. Raises ScenarioFailed naming the
    first that is further off than rounding in `dtype` and weights up to `tolerance` times the largest, which a plan
    may leave out, explain. Outputs that NaN or infinity reaches are not compared.
    """
    some = x[:CHECKED_SAMPLES]
    with np.errstate(invalid="ignore"):  # infinite weights of both signs
        values, doubles = np.asarray(backend.to_numpy(some), dtype=np.float64), _doubles(weights)
        exact, allowed = values @ doubles, _allowed(values, doubles, dtype, tolerance)
        known = np.isfinite(exact)
        for name, bound in zip(names, bounds, strict=True):
            got = np.asarray(backend.to_numpy(bound(some)), dtype=np.float64)
            if got.shape != exact.shape or (known & ~(np.abs(got - exact) <= allowed)).any():
                raise ScenarioFailed(f"{name} on {backend.name} computes something else than the dense product.")


def _allowed(values: NDArray[np.float64], weights: Any, dtype: str, tolerance: float) -> NDArray[np.float64]:
    """Return how far from the exact product one may lie."""
    reached: NDArray[np.float64] = np.abs(values) @ abs(weights)
    roundings = ROUNDINGS * _epsilon(dtype) * np.sqrt(max(weights.shape[0], 1))
    allowed: NDArray[np.float64] = roundings * reached + np.finfo(np.float32).tiny
    if tolerance <= 0.0:
        return allowed
    limit = (1 + _epsilon(dtype)) * tolerance * largest_weight(weights)
    allowed += np.abs(values) @ _up_to(abs(weights), limit)
    return allowed


def _up_to(magnitudes: Any, limit: float) -> Any:
    if hasattr(magnitudes, "tocsr"):
        magnitudes.data[magnitudes.data > limit] = 0.0
        return magnitudes
    return np.where(magnitudes <= limit, magnitudes, 0.0)


def _doubles(weights: Any) -> Any:
    if hasattr(weights, "tocsr"):
        return weights.tocsr().astype(np.float64)
    return np.asarray(weights, dtype=np.float64)


def _epsilon(dtype: str) -> float:
    if dtype == "bfloat16":
        return 2.0**-7
    return float(np.finfo(np.dtype(dtype)).eps)


def random_chunk(samples: int, channels: int, dtype: str, seed: int) -> NDArray[Any]:
    """Return normal data, samples x channels, of a type that NumPy has (bfloat16 comes as float32)."""
    generator = np.random.default_rng(seed)
    made = generator.standard_normal((samples, channels), dtype=np.float32)
    return made if dtype in ("float32", "bfloat16") else made.astype(dtype)
