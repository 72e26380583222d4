from __future__ import annotations

import subprocess
import sys
from math import inf
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
import scipy.sparse as sp

from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.formulation import Formulation, Kind
from placement_cli.blocks.matrices import UnusableWeights
from placement_cli.blocks.planner import choose, plan_block_matmul, whole_samples


def test_plans_come_cheapest_first_with_the_dense_one_among_them(banks: Any, numpy_price: Any) -> None:
    """Choices are sorted by the price of the whole formulation."""
    choices = choose(find_structure(banks([(64, 64)] * 8)), 30, numpy_price)
    prices = [choice.predicted_s for choice in choices]
    assert prices == sorted(prices)
    assert [choice.is_dense for choice in choices].count(True) == 1
    assert prices[0] == numpy_price(choices[0].formulation, 30)


def test_equal_input_gives_equal_plans(banks: Any, shuffled: Any, mlx_price: Any) -> None:
    """Planning twice, from the array or its sparse form, gives the same list of plans."""
    weights = shuffled(banks([(8, 8)] * 6 + [(5, 3)] * 4))
    weights[:, 7] = 1
    once, twice, sparse = (
        choose(find_structure(form), 30, mlx_price, backend="mlx")
        for form in (weights, weights.copy(), sp.csr_array(weights))
    )
    assert once == twice == sparse


def test_plans_that_cannot_be_computed_are_left_out(banks: Any) -> None:
    """A price of infinity takes a kind out of the choice, and no sample count as one."""

    def loops_only(formulation: Formulation, n: int) -> float:
        return n * formulation.macs if formulation.kind is Kind.LOOP else inf

    choices = choose(find_structure(banks([(4, 4)] * 3)), 0, loops_only)
    assert {choice.formulation.kind for choice in choices} == {Kind.LOOP}
    assert choices[0].predicted_s == 48


def test_compiled_plans_are_tried_on_mlx_alone(banks: Any) -> None:
    """Where compiling is cheaper it is chosen, for MLX; of equal prices the plain plan is."""

    def price(formulation: Formulation, n: int) -> float:
        return n * formulation.macs / (2 if formulation.compiled else 1)

    structure = find_structure(banks([(4, 4)] * 3))
    assert choose(structure, 1, price, backend="mlx")[0].plan.compiled
    assert not any(choice.plan.compiled for choice in choose(structure, 1, price))
    assert not choose(structure, 1, lambda f, n: float(f.macs), backend="mlx")[0].plan.compiled


def test_dense_products_are_none(numpy_price: Any) -> None:
    """As in ezmsg-sigproc, None means that the dense product is cheapest, or that there is nothing to plan."""
    assert plan_block_matmul(np.ones((64, 64)), 30, profile=numpy_price) is None
    assert plan_block_matmul(np.ones((64, 64)), 30, force=True) is None
    assert plan_block_matmul(np.ones(5), 30) is None
    assert plan_block_matmul(np.ones((0, 4)), 30) is None
    assert plan_block_matmul(np.ones((2, 2, 2)), 30) is None


def test_a_profile_is_a_price_or_has_one(banks: Any, numpy_price: Any) -> None:
    """Profiles with a `price` method and plain callables plan alike."""

    class Profile:
        def price(self, formulation: Formulation, samples: int) -> float:
            """Return seconds."""
            return float(numpy_price(formulation, samples))

    weights = banks([(32, 32)] * 8)
    assert plan_block_matmul(weights, 30, profile=Profile()) == plan_block_matmul(weights, 30, profile=numpy_price)


# What ezmsg-sigproc 3.11.1 decided for float32 blocks of ones along the diagonal: rows of a block, blocks, samples,
# dispatched, blocks of its plan.
UPSTREAM = [
    (64, 16, 30, False, 8),
    (128, 16, 30, False, 16),
    (32, 64, 1000, False, 64),
    (64, 16, 1000, False, 16),
    (16, 16, 30, False, 2),
    (16, 16, 3000, False, 8),
    (32, 32, 1, False, 8),
    (64, 64, 10, False, 32),
    (64, 16, 30, True, 4),
    (128, 16, 300, True, 16),
    (16, 16, 300, True, 2),
    (32, 32, 300, True, 8),
]


@pytest.mark.parametrize(("size", "count", "samples", "dispatched", "blocks"), UPSTREAM)
def test_without_a_profile_decisions_are_those_of_ezmsg_sigproc(
    size: int, count: int, samples: int, dispatched: bool, blocks: int
) -> None:
    """With its constants, banks of equal size are merged as its own planner merges them."""
    weights = np.kron(np.eye(count, dtype=np.float32), np.ones((size, size), np.float32))
    plan = plan_block_matmul(weights, samples, dispatched=dispatched)
    assert (plan.n_blocks if plan else 0) == blocks
    tiling = plan_block_matmul(weights, samples, dispatched=dispatched, tiling_only=True)
    assert (tiling.n_blocks if tiling else 0) == blocks
    if plan:
        assert plan.blocks == tiling.blocks
        assert (plan.in_perm, plan.out_perm) == (None, None)


def test_force_returns_the_finest_structure(banks: Any, shuffled: Any) -> None:
    """Forced plans ignore costs: every block by itself, gathered where it must be, in order of first inputs."""
    weights = banks([(2, 3), (4, 1), (1, 1)])
    assert [(r.stop - r.start, c.stop - c.start) for r, c in plan_block_matmul(weights, 1, force=True).blocks] == [
        (2, 3),
        (4, 1),
        (1, 1),
    ]
    mixed = shuffled(banks([(4, 4)] * 4))
    plan = plan_block_matmul(mixed, 1, force=True)
    assert plan.n_blocks == 4
    assert sorted(plan.in_perm.tolist()) == list(range(16))
    firsts = [plan.in_perm[rows].min() for rows, _ in plan.blocks]
    assert firsts == sorted(firsts)


def test_force_finds_more_than_blocks(banks: Any) -> None:
    """Where blocks show only without a dense column, the forced plan computes it apart."""
    weights = banks([(16, 16)] * 8)
    weights[:, 3] = 1
    assert plan_block_matmul(weights, 1, force=True, profile=lambda f, n: 1.0 + f.macs).formulation.dense_columns == 1


def test_arrays_of_mlx_are_planned_for_mlx(banks: Any) -> None:
    """Their plans may use what only MLX has, without being asked for."""

    def price(formulation: Formulation, n: int) -> float:
        gather_mm = sum(part.kind is Kind.GATHER_MM for part in formulation.parts)
        return 1e6 + n * formulation.macs - 1e5 * gather_mm

    weights = banks([(8, 8)] * 8)
    assert plan_block_matmul(mx.array(weights), 1, profile=price).formulation.kind is Kind.GATHER_MM
    assert plan_block_matmul(weights, 1, dispatched=True, profile=price).formulation.kind is Kind.GATHER_MM
    assert plan_block_matmul(weights, 1, profile=price).formulation.kind is Kind.BATCH


def test_weights_that_are_no_numbers_are_refused() -> None:
    """Text is an error, not a dense product."""
    with pytest.raises(UnusableWeights):
        plan_block_matmul(np.array([["a"]]), 1)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_number_of_samples_is_a_number(bad: float) -> None:
    """NaN and infinity are refused; fractions are rounded and less than one counts as one."""
    with pytest.raises(ValueError, match="n_samples"):
        plan_block_matmul(np.eye(4), bad)
    assert [whole_samples(n) for n in (-3, 0, 0.2, 1.6, 30)] == [1, 1, 1, 2, 30]


def test_importing_the_planner_loads_no_array_library() -> None:
    """NumPy, SciPy and MLX are loaded when something is planned, not before."""
    program = (
        "import sys; import placement_cli.blocks.planner, placement_cli.blocks.plan, placement_cli.blocks.lengths;"
        "import placement_cli.blocks.partition, placement_cli.blocks.structure;"
        "print([name for name in ('numpy', 'scipy', 'mlx') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
