from __future__ import annotations

from typing import Any

import numpy as np

from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.layouts import Layout, layouts, tile_units, tiling_layouts


def _of(weights: Any) -> list[Layout]:
    return list(layouts(find_structure(weights).pattern))


def test_a_dense_matrix_has_no_layout() -> None:
    """Nothing is tried where there is one block and no channel is unused."""
    assert _of(np.ones((6, 5))) == []


def test_a_matrix_of_zeros_has_nothing_to_lay_out() -> None:
    """The one layout of no weights has no blocks."""
    (layout,) = _of(np.zeros((3, 4)))
    assert [len(piece.units) for piece in layout] == [0]


def test_swapped_banks_need_slices_alone(banks: Any) -> None:
    """Blocks of neighbouring channels in another order have a layout without any index."""
    layout = _of(np.roll(banks([(4, 4)] * 3), 4, axis=1))[0]
    assert [(piece.in_index, piece.out_index) for piece in layout] == [(None, None)]
    assert layout[0].units.row_start.tolist() == [8, 0, 4]


def test_shuffled_inputs_are_gathered_and_outputs_left_in_place(banks: Any) -> None:
    """Only the side that is out of order has an index."""
    weights = banks([(4, 4)] * 3)[np.random.default_rng(0).permutation(12)]
    (piece,) = _of(weights)[0]
    assert piece.in_index is not None
    assert piece.out_index is None
    (piece,) = _of(np.ascontiguousarray(weights.T))[0]
    assert piece.in_index is None
    assert piece.out_index is not None


def test_blocks_in_order_stay_in_place_beside_shuffled_ones(banks: Any, shuffled: Any) -> None:
    """One layout gathers the shuffled blocks alone."""
    weights = banks([(5, 5)] * 5)
    weights[5:, 5:] = shuffled(weights[5:, 5:])
    sizes = [[len(piece.in_index) if piece.in_index else 0 for piece in layout] for layout in _of(weights)]
    assert [20, 0] in sizes
    assert [25] in sizes


def test_unused_channels_inside_a_block_can_be_left_out() -> None:
    """A block with unused rows is laid out over a slice and once without them."""
    weights = np.zeros((8, 4))
    weights[::2] = 1
    found = [(p.units.row_stop.tolist(), p.in_index and p.in_index.array.tolist()) for (p,) in _of(weights)]
    assert ([7], None) in found
    assert ([4], [0, 2, 4, 6]) in found


def test_a_band_is_cut_into_slabs() -> None:
    """Columns of a band come with the rows they reach."""
    weights = np.eye(50) + np.eye(50, k=1)
    ((piece,),) = _of(weights)
    assert piece.units.row_start.tolist()[:3] == [0, 0, 1]
    assert piece.units.row_stop.tolist()[:3] == [1, 2, 3]


def test_uneven_bands_are_cut_into_few_slabs() -> None:
    """Where hardly two columns are alike, slabs are wider."""
    rng = np.random.default_rng(0)
    weights = np.eye(600)
    weights[np.minimum(np.arange(600) + rng.integers(1, 40, 600), 599), np.arange(600)] = 1
    weights += np.eye(600, k=-1)
    assert max(len(piece.units) for layout in _of(weights) for piece in layout) <= 128


def test_tilings_write_every_output_once(banks: Any, shuffled: Any) -> None:
    """Layouts for other executors leave no output out, unused ones included."""
    weights = banks([(3, 3)] * 4)
    weights[:, 4] = 0
    for form in (weights, weights[::-1], shuffled(weights)):
        for layout in tiling_layouts(find_structure(np.ascontiguousarray(form)).pattern):
            (piece,) = layout
            assert piece.units.column_start.tolist()[1:] == piece.units.column_stop.tolist()[:-1]
            assert (piece.units.column_start[0], piece.units.column_stop[-1]) == (0, 12)
            assert piece.out_index is None or sorted(piece.out_index.array.tolist()) == list(range(12))


def test_tiles_know_shared_sums_only_where_they_are_the_blocks() -> None:
    """A tile that took in unused channels is no diagonal plus a constant any more."""
    weights = np.kron(np.eye(2), np.eye(8) + 1)
    assert tile_units(find_structure(weights).pattern).shared_sum.all()
    wider = np.pad(weights, ((0, 0), (0, 1)))
    assert not tile_units(find_structure(wider).pattern).shared_sum.any()


def test_very_many_blocks_in_another_order_are_gathered() -> None:
    """A permutation of many channels is no loop over slices."""
    weights = np.eye(700)[np.random.default_rng(0).permutation(700)]
    pattern = find_structure(weights).pattern
    assert all(piece.in_index is not None for layout in layouts(pattern) for piece in layout)
    assert all(piece.out_index is not None for layout in tiling_layouts(pattern) for piece in layout)
