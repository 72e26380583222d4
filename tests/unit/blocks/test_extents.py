from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from placement_cli.blocks.extents import CHUNK_BYTES, extents_of, nonzero_mask, row_chunks

masks = hnp.arrays(
    np.bool_, st.tuples(st.integers(0, 150), st.integers(0, 90)), elements=st.booleans(), fill=st.just(False)
)


def _plain(mask: np.ndarray) -> tuple[list[int], list[int]]:
    places = [np.flatnonzero(line) for line in mask]
    return [int(p[0]) if len(p) else -1 for p in places], [int(p[-1]) if len(p) else -1 for p in places]


@settings(deadline=None, max_examples=60)
@given(masks)
def test_extents_are_those_of_a_plain_search(mask: np.ndarray) -> None:
    """First and last nonzeros of rows and columns agree with a search line by line, in any memory order."""
    rows, columns = _plain(mask), _plain(mask.T)
    for form in (mask, np.asfortranarray(mask), sp.csr_array(mask)):
        found = extents_of(form)
        assert found.first_column.tolist() == rows[0]
        assert found.last_column.tolist() == rows[1]
        assert found.first_row.tolist() == columns[0]
        assert found.last_row.tolist() == columns[1]
        assert found.shape == mask.shape


def test_not_a_number_and_infinity_count_as_nonzero() -> None:
    """NaN, infinities and the smallest number are weights; both zeros are none."""
    weights = np.array([[np.nan, np.inf, -np.inf, 5e-324, 0.0, -0.0]])
    assert nonzero_mask(weights).tolist() == [[True, True, True, True, False, False]]
    assert nonzero_mask(weights, 1e-300).tolist() == [[True, True, True, False, False, False]]


def test_chunks_of_rows_cover_a_matrix_in_bounded_pieces() -> None:
    """Chunks are whole rows, in order, and small; a row longer than that is a chunk of its own."""
    matrix = np.zeros((100, 1000), np.float32)
    chunks = row_chunks(matrix)
    assert [c.start for c in chunks[1:]] == [c.stop for c in chunks[:-1]]
    assert (chunks[0].start, chunks[-1].stop) == (0, 100)
    assert max(matrix[c].nbytes for c in chunks) <= CHUNK_BYTES
    assert len(row_chunks(np.zeros((3, CHUNK_BYTES)))) == 3
