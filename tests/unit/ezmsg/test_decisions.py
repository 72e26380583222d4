"""Our planner with upstream's constants against the real one: equal decisions, or cheaper ones by its own model.

Cheaper are those where upstream merges by powers of two of rows alone, parks channels without weights in a block,
or does not look for shuffled blocks in matrices below 2^20 weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ezmsg.sigproc.util import blockdiag as upstream
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.blocks.partition import contiguous_block_partition
from placement_cli.blocks.planner import plan_block_matmul

Matrix = Any
Shapes = list[tuple[int, int]]
SAMPLES = (1, 10, 30, 100, 300, 1000, 3000)


def _blocks(shapes: Shapes) -> Matrix:
    weights = np.zeros((sum(r for r, _ in shapes), sum(c for _, c in shapes)), np.bool_)
    row = column = 0
    for rows, columns in shapes:
        weights[row : row + rows, column : column + columns] = True
        row, column = row + rows, column + columns
    return weights


def _shuffled(weights: Matrix, rng: np.random.Generator) -> Matrix:
    return weights[rng.permutation(weights.shape[0])][:, rng.permutation(weights.shape[1])]


def _uniform(rng: np.random.Generator) -> Matrix:
    """Return 1 to 32 equal blocks, a power of two of them, of a power of two of channels."""
    count = 2 ** int(rng.integers(0, 6))
    size = 2 ** int(rng.integers(2, 8))
    return _blocks([(min(size, 1000 // count),) * 2] * count)


def _irregular(rng: np.random.Generator) -> Matrix:
    return _blocks(rng.integers(1, 50, (int(rng.integers(2, 20)), 2)).tolist())


def _with_unused(rng: np.random.Generator) -> Matrix:
    weights = _irregular(rng)
    weights[rng.random(len(weights)) < 0.1] = False
    weights[:, rng.random(weights.shape[1]) < 0.1] = False
    return weights


def _scattered(rng: np.random.Generator) -> Matrix:
    return rng.random(rng.integers(1, 60, 2)) < rng.choice([0.005, 0.02, 0.05, 0.2])


def _shuffled_small(rng: np.random.Generator) -> Matrix:
    return _shuffled(_uniform(rng), rng)


def _shuffled_large(rng: np.random.Generator) -> Matrix:
    size = int(rng.choice([32, 64, 128]))
    return _shuffled(_blocks([(size, size)] * (1024 // size)), rng)


def _cost(plan: Any, weights: Matrix, samples: int, call_cost: float) -> float:
    """Return what upstream's model says of a plan of either planner, None being the dense product."""
    if plan is None:
        return float(upstream._cost([tuple(slice(0, n) for n in weights.shape)], samples, call_cost))
    gathered = sum(len(perm) for perm in (plan.in_perm, plan.out_perm) if perm is not None)
    cost = upstream._cost(plan.blocks, samples, call_cost)
    return float(cost + samples * upstream.GATHER_COST_MACS * gathered)


def _equal(plan: Any, other: Any) -> bool:
    if plan is None or other is None:
        return plan is other
    pairs = ((plan.in_perm, other.in_perm), (plan.out_perm, other.out_perm))
    return plan.blocks == other.blocks and all(
        np.array_equal(a, b) if a is not None and b is not None else a is b for a, b in pairs
    )


CASES: list[tuple[Callable[[np.random.Generator], Matrix], int, int]] = [
    (_uniform, 120, 100),
    (_irregular, 120, 50),
    (_with_unused, 80, 20),
    (_scattered, 120, 90),
    (_shuffled_small, 60, 45),
    (_shuffled_large, 6, 6),
]
"""How matrices are made, how many, and how many of the decisions are equal at least."""


@pytest.mark.parametrize(("make", "count", "equal_at_least"), CASES)
def test_decisions_are_upstreams_or_cheaper_by_its_own_model(
    make: Callable[[np.random.Generator], Matrix], count: int, equal_at_least: int
) -> None:
    """With its constants, for both kinds of backend, no plan for its executor is dearer than its own."""
    rng, found = np.random.default_rng(7), Counter[str]()
    for _ in range(count):
        weights, samples, dispatched = make(rng), int(rng.choice(SAMPLES)), bool(rng.integers(2))
        theirs = upstream.plan_block_matmul(weights, samples, dispatched=dispatched)
        ours = plan_block_matmul(weights, samples, dispatched=dispatched, tiling_only=True)
        if _equal(ours, theirs):
            found["equal"] += 1
            continue
        call_cost = upstream.CALL_COST_MACS_DISPATCHED if dispatched else upstream.CALL_COST_MACS
        cost, their_cost = (_cost(plan, weights, samples, call_cost) for plan in (ours, theirs))
        assert cost < their_cost, (weights.shape, samples, dispatched)
        found["cheaper"] += 1
    assert found["equal"] >= equal_at_least


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), min_size=1, max_size=12))
def test_forced_plans_of_contiguous_blocks_are_upstreams(shapes: Shapes) -> None:
    """Without unused channels the finest structure is the same, block by block, and one block is no structure."""
    weights = _blocks(shapes)
    assert _equal(
        plan_block_matmul(weights, 1, force=True, tiling_only=True), upstream.plan_block_matmul(weights, 1, force=True)
    )


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 14), st.integers(0, 14), st.sampled_from([0.02, 0.1, 0.2, 0.5]), st.integers(0, 10**6))
def test_partitions_are_upstreams(rows: int, columns: int, density: float, seed: int) -> None:
    """Every matrix, with rows and columns of zeros or none, is tiled as by upstream's function of the name."""
    mask = np.random.default_rng(seed).random((rows, columns)) < density
    assert contiguous_block_partition(mask) == upstream.contiguous_block_partition(mask)
