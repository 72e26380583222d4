from __future__ import annotations

import numpy as np

from placement_cli.blocks.components import Components, components_of
from placement_cli.blocks.extents import Extents, extents_of
from placement_cli.blocks.ordering import are_intervals, are_neighbours, column_order, reordered


def _found(mask: np.ndarray) -> tuple[Extents, Components]:
    extents = extents_of(mask)
    return extents, components_of(mask, extents, int(mask.sum()))


def test_unused_channels_between_do_not_part_neighbours() -> None:
    """A block with an unused row inside is still reached by one slice, though its rows are no interval."""
    mask = np.zeros((5, 3), bool)
    mask[[0, 2], 0] = True
    mask[3:, 1:] = True
    extents, blocks = _found(mask)
    assert [m.tolist() for m in are_neighbours(extents, blocks)] == [[True, True], [True, True]]
    assert [m.tolist() for m in are_intervals(blocks)] == [[False, True], [True, True]]


def test_interleaved_blocks_are_no_neighbours() -> None:
    """Rows that alternate between blocks cannot be sliced; columns that do not can."""
    mask = np.array([[1, 0], [0, 1], [1, 0], [0, 1]], bool)
    extents, blocks = _found(mask)
    assert [m.tolist() for m in are_neighbours(extents, blocks)] == [[False, False], [True, True]]


def test_reordering_renumbers_components() -> None:
    """Components come in the order asked for, some left out, each with its own channels."""
    _, blocks = _found(np.kron(np.eye(3, dtype=bool)[::-1], np.ones((2, 1), bool)))
    assert column_order(blocks).tolist() == [2, 1, 0]
    some = reordered(blocks, np.array([2, 0]))
    assert [some.rows_of(k).tolist() for k in range(2)] == [[4, 5], [0, 1]]
    assert [some.columns_of(k).tolist() for k in range(2)] == [[0], [2]]
