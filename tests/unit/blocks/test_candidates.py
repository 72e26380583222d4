from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from placement_cli.blocks.candidates import candidates, dense_plan, finest_plan, tiling_candidates
from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.formulation import Kind
from placement_cli.blocks.plan import BlockPlan
from placement_cli.blocks.pricing import PartPrice


def _all(weights: Any, price: Any, *, on_mlx: bool = False) -> list[BlockPlan]:
    structure = find_structure(weights)
    return list(candidates(structure, PartPrice(price, 30, *weights.shape), on_mlx=on_mlx))


def test_the_dense_plan_comes_first(banks: Any, numpy_price: Any) -> None:
    """Whatever the structure, the product with the whole matrix is compared."""
    weights = banks([(8, 8)] * 4)
    assert _all(weights, numpy_price)[0] == dense_plan(find_structure(weights))
    assert _all(np.ones((6, 6)), numpy_price) == [dense_plan(find_structure(np.ones((6, 6))))]


def test_a_plain_loop_stands_beside_every_mixed_plan(banks: Any, numpy_price: Any) -> None:
    """Where the cheapest mix batches blocks, the cheapest loop is a candidate of its own."""
    kinds = [plan.formulation.kind for plan in _all(banks([(32, 32)] * 16), numpy_price)]
    assert kinds == [Kind.DENSE, Kind.BATCH, Kind.LOOP]


def test_masked_products_are_for_mlx_alone(banks: Any, mlx_price: Any) -> None:
    """block_masked_mm is a candidate with both sides of a tile, counted by the tiles that blocks reach."""
    weights = banks([(64, 64)] * 4)
    assert all(plan.formulation.kind is not Kind.MASKED_MM for plan in _all(weights, mlx_price))
    masked = [plan for plan in _all(weights, mlx_price, on_mlx=True) if plan.formulation.kind is Kind.MASKED_MM]
    assert [(plan.formulation.parts[0].tile, plan.formulation.parts[0].count) for plan in masked] == [
        (32, 16),
        (64, 4),
    ]


def test_plans_that_leave_out_weights_say_what_not_a_number_does(banks: Any, mlx_price: Any) -> None:
    """Every plan but the dense one notes that NaN reaches fewer outputs."""
    for plan in _all(banks([(16, 16)] * 4), mlx_price, on_mlx=True)[1:]:
        assert any("NaN" in note for note in plan.notes)
    assert dense_plan(find_structure(np.ones((2, 2)))).notes == ()


def test_shared_sums_note_what_infinity_does(numpy_price: Any) -> None:
    """Taking sums apart can make NaN of infinity, also where no weight is left out."""
    whole = _all(np.eye(512) - 1 / 512, numpy_price)
    assert [plan.formulation.kind for plan in whole] == [Kind.DENSE, Kind.SHARED_SUM]
    assert ["infinite input" in " ".join(plan.notes) for plan in whole] == [False, True]
    assert ["NaN or infinity" in " ".join(plan.notes) for plan in whole] == [False, False]


def test_the_finest_plan_is_contiguous_where_this_hides_nothing(banks: Any, shuffled: Any) -> None:
    """Tiles are taken unless components are finer; a dense matrix has no finest plan."""
    weights = banks([(4, 4)] * 4)
    assert finest_plan(find_structure(weights)).n_blocks == 4
    hidden = banks([(4, 4)] * 9)
    hidden[4:, 4:] = shuffled(hidden[4:, 4:])
    plan = finest_plan(find_structure(hidden))
    assert plan.n_blocks == 9
    assert plan.is_tiling
    assert finest_plan(find_structure(np.ones((4, 4)))) is None


@pytest.mark.parametrize("unused", [False, True])
def test_tiling_candidates_can_be_run_by_others(unused: bool, banks: Any, shuffled: Any, numpy_price: Any) -> None:
    """Every one of them is a loop whose blocks write all outputs in order."""
    weights = banks([(64, 64)] * 6)
    if unused:
        weights[3] = weights[:, 20] = 0
    for form in (weights, weights[::-1].copy(), shuffled(weights)):
        structure = find_structure(form)
        found = list(tiling_candidates(structure, PartPrice(numpy_price, 30, *form.shape)))
        assert len(found) > 1
        assert all(plan.is_tiling and plan.formulation.kind in {Kind.LOOP, Kind.DENSE} for plan in found)
