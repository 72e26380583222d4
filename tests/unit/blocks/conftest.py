from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from typing import Any

import numpy as np
import pytest

from placement_cli.blocks.formulation import Formulation, Kind, Part, Price

Matrix = Any
ONE_BY_ONE = {Kind.DENSE, Kind.LOOP, Kind.THIN}


def _product_us(part: Part, n: int, *, far: bool) -> float:
    """Microseconds of one block product in NumPy: kernels change at a million MACs, strided reads cost beyond L2."""
    rows, columns = part.shape.rows, part.shape.columns
    macs = n * max(rows, 8) * max(columns, 8)
    if n == 1:
        cost = 6.1e-5 * rows * columns + (2e-5 * rows * columns if 4 * rows * columns > 1 << 20 else 0)
    elif macs <= 1e6:
        cost = 2.27e-5 * macs
    else:
        cost = 2.05e-5 * macs + 3.1e-4 * rows * columns
    return cost + (2.7e-4 * n * (rows + columns) if far and part.kind is not Kind.DENSE else 0)


@pytest.fixture(scope="session")
def numpy_price() -> Price:
    """Seconds in NumPy with one BLAS thread, as fitted on an x86 machine."""

    def price(formulation: Formulation, n: int) -> float:
        if formulation.compiled:
            return inf
        far = 4 * n * formulation.n_in > 1 << 20
        us = 1.0 + formulation.gathers + 1e-3 * n * (formulation.gathered_in + formulation.gathered_out)
        us += 1.5e-4 * n * formulation.zero_filled_out
        for part in formulation.parts:
            if part.kind in ONE_BY_ONE:
                us += part.count * (1.4 + _product_us(part, n, far=far))
                us += 3e-4 * n * part.shape.columns if part.accumulates else 0
            elif part.kind is Kind.BATCH:
                us += 1.8 + part.count * (0.05 + _product_us(part, n, far=False))
            elif part.kind is Kind.ELEMENTWISE:
                us += 1.4 + 3e-4 * n * part.shape.rows
            elif part.kind is Kind.SHARED_SUM:
                us += 6.0 + 9e-4 * n * part.shape.rows * part.count
            else:
                return inf
        return us * 1e-6

    return price


@pytest.fixture(scope="session")
def mlx_price() -> Price:
    """Seconds in MLX on a CPU whose BLAS is slow: calls are cheap beside arithmetic."""

    def price(formulation: Formulation, n: int) -> float:
        us = 10.0 + 6 * formulation.gathers + 5 * formulation.compiled
        us += 3e-3 * n * (formulation.gathered_in + formulation.gathered_out)
        for part in formulation.parts:
            arithmetic = 3.5e-4 * n * part.macs
            if part.kind in ONE_BY_ONE:
                us += 8 * part.calls + arithmetic
            elif part.kind is Kind.MASKED_MM:
                us += 60 + 3.5e-4 * n * part.shape.weights
            else:
                us += 12 + 0.5 * part.count + arithmetic
        return us * 1e-6

    return price


@pytest.fixture(scope="session")
def banks() -> Callable[..., Matrix]:
    """Build a float32 matrix of diagonal blocks of the given (rows, columns), no weight of theirs zero."""

    def build(shapes: Iterable[tuple[int, int]], seed: int = 0) -> Matrix:
        shapes = list(shapes)
        rng = np.random.default_rng(seed)
        weights = np.zeros((sum(r for r, _ in shapes), sum(c for _, c in shapes)), np.float32)
        row = column = 0
        for rows, columns in shapes:
            weights[row : row + rows, column : column + columns] = 1 + rng.random((rows, columns))
            row, column = row + rows, column + columns
        return weights

    return build


@pytest.fixture(scope="session")
def shuffled() -> Callable[..., Matrix]:
    """Reorder the rows and the columns of a matrix at random."""

    def shuffle(weights: Matrix, seed: int = 1) -> Matrix:
        rng = np.random.default_rng(seed)
        rows, columns = (rng.permutation(size) for size in weights.shape)
        return np.ascontiguousarray(weights[rows][:, columns])

    return shuffle
