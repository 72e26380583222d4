from __future__ import annotations

import numpy as np

from placement_cli.blocks.units import Units


def _units(rows: list[tuple[int, int]], columns: list[tuple[int, int]]) -> Units:
    (a, b), (c, d) = (np.array(side).reshape(-1, 2).T for side in (rows, columns))
    return Units.of((a, b), (c, d))


def test_blocks_are_put_in_the_order_of_their_columns() -> None:
    """Whatever order they come in, blocks follow by column."""
    units = _units([(0, 2), (2, 4)], [(5, 9), (0, 5)])
    assert units.column_start.tolist() == [0, 5]
    assert units.row_start.tolist() == [2, 0]
    assert units.shapes.tolist() == [[2, 5], [2, 4]]


def test_equal_blocks_at_equal_distances_are_a_stretch() -> None:
    """Distances may be negative or shorter than a block, but not change, and columns leave no gap."""
    forward = _units([(0, 2), (2, 4), (4, 6), (9, 11)], [(0, 1), (1, 2), (2, 3), (3, 4)])
    assert forward.stretches() == [(0, 3)]
    assert forward.count_runs() == 2
    assert _units([(4, 6), (2, 4), (0, 2)], [(0, 1), (1, 2), (2, 3)]).stretches() == [(0, 3)]
    assert _units([(0, 3), (1, 4), (2, 5)], [(0, 1), (1, 2), (2, 3)]).stretches() == [(0, 3)]
    assert _units([(0, 2), (2, 4)], [(0, 1), (2, 3)]).stretches() == []
    assert _units([(0, 2), (2, 5)], [(0, 1), (1, 2)]).stretches() == []
    assert _units([(0, 2), (0, 2)], [(0, 1), (1, 2)]).stretches() == []
    assert _units([(0, 2)], [(0, 1)]).stretches() == []


def test_walls_stand_where_other_columns_lie_between() -> None:
    """Blocks with columns of others between them are walled off from one another."""
    units = _units([(0, 1), (1, 2), (2, 3)], [(0, 2), (2, 4), (6, 7)])
    assert units.walled(np.array([9, 5])).wall_after.tolist() == [False, True, False]
    assert not units.wall_after.any()
