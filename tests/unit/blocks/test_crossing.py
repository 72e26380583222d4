from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from placement_cli.blocks.finding import find_structure


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_array])
def test_dense_rows_and_columns_are_found_in_every_form(form: Any, banks: Any) -> None:
    """Whatever the memory order, the rows and columns that cross the blocks are the same."""
    weights = banks([(20, 20)] * 6)
    weights[:, [3, 50]] = 1
    weights[7] = 1
    crossing = find_structure(form(weights)).crossing
    assert crossing is not None
    assert (crossing.rows, crossing.columns) == ((7,), (3, 50))


def test_a_row_that_crosses_only_some_blocks_is_found(banks: Any) -> None:
    """A row need not reach every output: much longer than most is enough."""
    weights = banks([(10, 10)] * 20)
    weights[15, :80] = 1
    crossing = find_structure(weights).crossing
    assert crossing is not None
    assert crossing.rows == (15,)


def test_many_long_rows_are_a_block_not_a_crossing(banks: Any) -> None:
    """One large block beside small ones has long rows, but not few."""
    assert find_structure(banks([(64, 64)] + [(4, 4)] * 16)).crossing is None


def test_a_dense_row_beside_a_band_leaves_the_band() -> None:
    """What remains need not be blocks: a band is worth as much."""
    weights = sum(np.eye(128, k=k) for k in (-2, -1, 0, 1, 2))
    weights[60] = 1
    crossing = find_structure(weights).crossing
    assert crossing is not None
    assert crossing.rows == (60,)


def test_taking_out_what_ties_nothing_together_is_no_gain() -> None:
    """A dense row over a matrix that is random otherwise is left where it is."""
    weights = (np.random.default_rng(0).random((100, 100)) < 0.2).astype(float)
    weights[5] = 1
    assert find_structure(weights).crossing is None
