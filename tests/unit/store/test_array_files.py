"""NumPy's and SciPy's files of arrays: nothing in a sparse one is followed before it was looked at."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.errors import UnreadableInput

Matrix = Any
LAYOUTS = ("csr", "csc", "coo", "bsr", "dia")


def _npz(**arrays: Matrix) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _sparse_npz(matrix: Matrix) -> bytes:
    file = io.BytesIO()
    sp.save_npz(file, matrix)
    return file.getvalue()


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_sparse_files_cannot_point_outside_the_matrix(
    load: Callable[..., Matrix], layout: str, data: st.DataObject
) -> None:
    """SciPy would follow such an index through memory; here every index of what is read lies inside."""
    with np.load(io.BytesIO(_sparse_npz(sp.csr_array(np.eye(4)).asformat(layout)))) as file:
        arrays = dict(file)
    name = data.draw(st.sampled_from(sorted(arrays.keys() - {"data", "format", "_is_array"})))
    changed = arrays[name].copy()
    place = data.draw(st.integers(0, changed.size - 1))
    changed.flat[place] = data.draw(st.sampled_from([-(2**31), -1, 0, 1, 3, 4, 5, 2**31 - 1]))
    try:
        read = load("a.npz", _npz(**arrays | {name: changed}), free_bytes=10**8)
    except UnreadableInput:
        return
    assert read.indptr[0] == 0
    assert (np.diff(read.indptr) >= 0).all()
    assert ((read.indices >= 0) & (read.indices < read.shape[1])).all()


@pytest.mark.parametrize(
    ("part", "changed", "message"),
    [
        ("indices", np.array([0.0, 1.0]), "'indices' of its sparse matrix has type float64, not integers"),
        ("shape", np.array([2, 2, 2]), "holds a sparse array whose shape is no pair of inputs and outputs"),
        ("shape", np.array([0, 2]), r"the matrix is empty \(0 x 2\)"),
        ("data", np.array(["a", "b"]), "holds no numbers but type <U1"),
        ("format", np.array("lil"), "no readable .npz file"),
        ("format", np.array(5), "no readable .npz file"),
        ("indptr", np.array([0, 2, -1]), "the starts of its rows do not ascend"),
    ],
)
def test_parts_of_a_sparse_file_that_do_not_fit_are_told(
    load: Callable[..., Matrix], part: str, changed: Matrix, message: str
) -> None:
    """Each part is looked at before SciPy is."""
    arrays = {"format": np.array("csr"), "shape": np.array([2, 2]), "data": np.ones(2)}
    arrays |= {"indices": np.array([0, 1]), "indptr": np.array([0, 1, 2])}
    with pytest.raises(UnreadableInput, match=message):
        load("a.npz", _npz(**arrays | {part: changed}))
