from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.blocks.formulation import BlockShape, Formulation, Kind, Part
from placement_cli.blocks.merging import cheapest, separate
from placement_cli.blocks.plan import Run
from placement_cli.blocks.pricing import PartPrice
from placement_cli.blocks.units import Units

LOOP = frozenset({Kind.LOOP})
BATCH = frozenset({Kind.LOOP, Kind.BATCH})


def _diagonal(shapes: list[tuple[int, int]]) -> Units:
    rows, columns = (np.concatenate([[0], np.cumsum(side)]) for side in zip(*shapes, strict=True))
    return Units.of((rows[:-1], rows[1:]), (columns[:-1], columns[1:]))


def _affine(call: float, batch: float = inf, block: float = 0.1) -> Callable[[Formulation, int], float]:
    def price(formulation: Formulation, n: int) -> float:
        total = 3.0
        for part in formulation.parts:
            calls = batch + block * part.count if part.kind is Kind.BATCH else call * part.count
            total += calls + n * part.macs
        return total

    return price


def _cost(runs: tuple[Run, ...], price: Callable[[Formulation, int], float]) -> float:
    parts = tuple(Part(run.kind, BlockShape(run.rows, run.columns), run.count) for run in runs)
    return price(Formulation(1, 1, parts), 1)


def _best_by_enumeration(shapes: list[tuple[int, int]], price: Callable[[Formulation, int], float]) -> float:
    """Try every way of cutting the blocks into merged ones."""
    best = inf
    for cuts in range(1 << (len(shapes) - 1)):
        groups: list[list[tuple[int, int]]] = [[]]
        for i, shape in enumerate(shapes):
            groups[-1].append(shape)
            if i + 1 < len(shapes) and cuts >> i & 1:
                groups.append([])
        sizes = [(sum(r for r, _ in g), sum(c for _, c in g)) for g in groups]
        parts = tuple(Part(Kind.LOOP, BlockShape(*size)) for size in sizes)
        best = min(best, price(Formulation(1, 1, parts), 1))
    return best


def _assert_covers(runs: tuple[Run, ...], units: Units) -> None:
    blocks = [block for run in runs for block in run.blocks()]
    bounds = [columns.start for _, columns in blocks] + [blocks[-1][1].stop]
    assert bounds[0] == units.column_start[0]
    assert bounds[-1] == units.column_stop[-1]
    assert [columns.stop for _, columns in blocks] == bounds[1:]
    for row0, row1, column0, column1 in zip(
        units.row_start, units.row_stop, units.column_start, units.column_stop, strict=True
    ):
        assert any(r.start <= row0 and row1 <= r.stop and c.start <= column0 and column1 <= c.stop for r, c in blocks)


shapes = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=9)


@settings(deadline=None, max_examples=80)
@given(shapes, st.sampled_from([1.0, 30.0, 200.0, 2000.0]))
def test_the_merge_is_the_cheapest_of_all_consecutive_ones(shapes: list[tuple[int, int]], call: float) -> None:
    """Dynamic programming finds what trying every cut finds, whatever a call costs."""
    units, price = _diagonal(shapes), _affine(call)
    runs = cheapest(units, PartPrice(price, 1, 99, 99), LOOP)
    _assert_covers(runs, units)
    assert _cost(runs, price) == pytest.approx(_best_by_enumeration(shapes, price))


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 90)), min_size=1, max_size=5),
    st.sampled_from([1.0, 30.0, 2000.0]),
    st.sampled_from([inf, 1.0, 100.0]),
)
def test_runs_of_equal_blocks_are_covered(groups: list[tuple[int, int, int]], call: float, batch: float) -> None:
    """Long stretches, batched or not, cover every block once and cost no more than one call a block."""
    units = _diagonal([(rows, columns) for rows, columns, count in groups for _ in range(count)])
    price = _affine(call, batch)
    runs = cheapest(units, PartPrice(price, 1, 99, 99), BATCH)
    _assert_covers(runs, units)
    assert _cost(runs, price) <= _cost(separate(units), price) * (1 + 1e-12)


def test_equal_blocks_become_one_batch_with_the_rest_in_a_loop() -> None:
    """A mixed plan batches the run of equal blocks and loops over the others."""
    units = _diagonal([(30, 30)] + [(8, 8)] * 16 + [(50, 20)])
    runs = cheapest(units, PartPrice(_affine(5.0, 8.0), 1, 99, 99), BATCH)
    assert [(run.kind, run.rows, run.count) for run in runs] == [
        (Kind.LOOP, 30, 1),
        (Kind.BATCH, 8, 16),
        (Kind.LOOP, 50, 1),
    ]


def test_blocks_of_a_batch_are_merged_first_when_blocks_cost_much() -> None:
    """Every few blocks are merged before batching; the remainder is a block of its own."""
    units = _diagonal([(2, 2)] * 50)
    runs = cheapest(units, PartPrice(_affine(500.0, 100.0, block=60.0), 1, 99, 99), BATCH)
    assert [run.kind for run in runs].count(Kind.BATCH) == 1
    assert max(run.count for run in runs) < 25
    _assert_covers(runs, units)


def test_walls_are_not_merged_across() -> None:
    """However dear calls are, blocks of other sections between two are not covered by a merge."""
    rows, columns = np.array([0, 1, 2]), np.array([0, 1, 4])
    units = Units.of((rows, rows + 1), (columns, columns + 1)).walled(np.array([2, 3]))
    runs = cheapest(units, PartPrice(_affine(1e6), 1, 99, 99), LOOP)
    assert [(run.column_start, run.columns) for run in runs] == [(0, 2), (4, 1)]


def test_very_many_blocks_are_merged_beforehand() -> None:
    """Thousands of unequal blocks are covered after few questions about prices."""
    rng = np.random.default_rng(0)
    units = _diagonal([(int(r), int(c)) for r, c in rng.integers(1, 5, (3000, 2))])
    asked = 0
    affine = _affine(1e5)

    def price(formulation: Formulation, n: int) -> float:
        nonlocal asked
        asked += 1
        return affine(formulation, n)

    _assert_covers(cheapest(units, PartPrice(price, 1, 9, 9), LOOP), units)
    assert asked < 40_000


def test_nothing_to_cover_takes_no_runs() -> None:
    """Without blocks there is nothing to compute."""
    none = np.zeros(0, np.intp)
    assert cheapest(Units.of((none, none), (none, none)), PartPrice(_affine(1.0), 1, 1, 1), LOOP) == ()
    assert separate(Units.of((none, none), (none, none))) == ()


def test_separate_blocks_keep_runs_of_equal_ones_together() -> None:
    """Every block stays by itself; equal ones at equal distances are one loop."""
    runs = separate(_diagonal([(3, 1), (2, 2), (2, 2), (2, 2), (1, 1)]))
    assert [(run.rows, run.columns, run.count, run.row_step) for run in runs] == [
        (3, 1, 1, 0),
        (2, 2, 3, 2),
        (1, 1, 1, 0),
    ]
