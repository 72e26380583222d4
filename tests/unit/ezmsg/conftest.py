"""The real planner of ezmsg-sigproc, profiles to use in it, and matrices to plan for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from placement_cli.profile.defaults import shipped_profile
from placement_cli.profile.profile import Profile

Matrix = Any
SET = ("WEIGHT_LOAD_SAMPLES", "CALL_COST_MACS", "CALL_COST_MACS_DISPATCHED", "GATHER_COST_MACS", "plan_block_matmul")


@pytest.fixture(scope="session")
def shipped() -> dict[str, Any]:
    """What the planner module holds before any test."""
    module = import_module("ezmsg.sigproc.util.blockdiag")
    return {name: getattr(module, name) for name in SET}


@pytest.fixture
def blockdiag(shipped: dict[str, Any]) -> Iterator[Any]:
    """The real planner module; fails a test that leaves it changed."""
    module = import_module("ezmsg.sigproc.util.blockdiag")
    yield module
    assert {name: getattr(module, name) for name in SET} == shipped


@pytest.fixture
def consumer(blockdiag: Any, shipped: dict[str, Any]) -> Iterator[Any]:
    """The real module that imported the planner by name; fails a test that leaves it changed."""
    module = import_module("ezmsg.sigproc.affinetransform")
    yield module
    assert module.plan_block_matmul is shipped["plan_block_matmul"]


@pytest.fixture(scope="session")
def on_numpy() -> Profile:
    """The shipped profile for NumPy."""
    return shipped_profile("numpy-1-thread-float32")


@pytest.fixture(scope="session")
def on_mlx() -> Profile:
    """The shipped profile for MLX on a CPU."""
    return shipped_profile("mlx-cpu-1-thread-float32")


@pytest.fixture(scope="session")
def without_upstream(on_numpy: Profile) -> Profile:
    """A profile without the constants of ezmsg-sigproc's model."""
    return replace(on_numpy, name="bare", blocks=replace(on_numpy.blocks, upstream=None))


@pytest.fixture(scope="session")
def banks() -> Callable[..., Matrix]:
    """Build a float32 matrix of diagonal blocks of the given (rows, columns), no weight of theirs zero."""

    def build(shapes: Iterable[tuple[int, int]]) -> Matrix:
        shapes = list(shapes)
        rng = np.random.default_rng(len(shapes))
        weights = np.zeros((sum(r for r, _ in shapes), sum(c for _, c in shapes)), np.float32)
        row = column = 0
        for rows, columns in shapes:
            weights[row : row + rows, column : column + columns] = 1 + rng.random((rows, columns))
            row, column = row + rows, column + columns
        return weights

    return build


@pytest.fixture(scope="session")
def hidden_banks(banks: Callable[..., Matrix]) -> Matrix:
    """One bank of 32 channels in front of 32 shuffled ones, which upstream's planner does not see for the first."""
    weights = banks([(32, 32)] * 33)
    rng = np.random.default_rng(0)
    rest = weights[32:, 32:]
    weights[32:, 32:] = rest[rng.permutation(1024)][:, rng.permutation(1024)]
    return weights
