from __future__ import annotations

from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
import pytest

from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.formulation import Formulation, Kind
from placement_cli.blocks.lengths import plan_for_lengths, table
from placement_cli.blocks.planner import choose


def test_ranges_follow_one_another_and_the_last_is_open(banks: Any, numpy_price: Any) -> None:
    """The table begins at the shortest length, has no gap, and no two neighbours with the same plan."""
    found = plan_for_lengths(banks([(16, 16)] * 16), [3000, 30, 1, 30], numpy_price)
    assert found[0].samples_from == 1
    assert found[-1].samples_to is None
    assert [row.samples_from for row in found[1:]] == [row.samples_to + 1 for row in found[:-1]]
    assert all(a.choice.plan != b.choice.plan for a, b in pairwise(found))


def test_one_plan_for_all_lengths_is_one_row(numpy_price: Any) -> None:
    """Where the dense product always wins there is no crossover."""
    (row,) = plan_for_lengths(np.ones((32, 32)), [1, 100], numpy_price)
    assert (row.samples_from, row.samples_to, row.choice.is_dense) == (1, None, True)


def test_the_crossover_is_where_prices_cross(banks: Any) -> None:
    """Bisection finds the very length at which blocks become cheaper than the dense product."""

    def price(formulation: Formulation, n: int) -> float:
        return inf if formulation.kind is Kind.BATCH else formulation.calls * 1000.0 + n * formulation.macs

    # 2 blocks of 8 x 8 cost 2000 + 128 n, the dense product 1000 + 256 n: they meet at n = 7.8
    first, second = table(find_structure(banks([(8, 8)] * 2)), [1, 500], price)
    assert (first.choice.is_dense, first.samples_to) == (True, 7)
    assert (second.samples_from, second.predicted_s) == (8, 2000 + 128 * 8)


def test_plans_between_the_lengths_asked_for_get_their_rows(banks: Any, numpy_price: Any) -> None:
    """At the edge of every range the plan is nearly as cheap as the best there."""
    weights = banks([(16, 16)] * 16 + [(5, 9)] * 3 + [(40, 40)])
    structure = find_structure(weights)
    found = table(structure, [1, 3000], numpy_price)
    assert len(found) > 1
    for row in found:
        best = choose(structure, row.samples_from, numpy_price)[0]
        assert row.predicted_s <= 1.1 * best.predicted_s


def test_at_least_one_length_is_needed(numpy_price: Any) -> None:
    """No lengths, no table."""
    with pytest.raises(ValueError, match="at least one"):
        plan_for_lengths(np.ones((2, 2)), [], numpy_price)


def test_a_table_for_mlx_knows_what_mlx_can_do(banks: Any, mlx_price: Any) -> None:
    """Plans are chosen for the backend that is named."""
    found = plan_for_lengths(banks([(16, 16)] * 8), [1, 30], mlx_price, backend="mlx", tolerance=1e-9)
    assert found[0].choice.is_dense
    assert not found[-1].choice.is_dense
