"""Reading the weight matrix that a person names: NumPy, SciPy, comma-separated text or Matrix Market."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from placement_cli.device.host import this_host
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.store.array_files import read_npy, read_npz
from placement_cli.store.matrix_market import read_matrix_market
from placement_cli.store.matrix_source import MatrixSource
from placement_cli.store.number_table import read_table

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Matrix: TypeAlias = NDArray[Any] | csr_array[Any]

READERS: dict[str, Callable[[MatrixSource], Matrix]] = {
    ".npy": read_npy,
    ".npz": read_npz,
    ".csv": read_table,
    ".mtx": read_matrix_market,
}
"""Endings of files that hold a matrix."""


def load_matrix(path: Path, name: str | None = None, *, free_bytes: int | None = None) -> Matrix:
    """Return the matrix (inputs x outputs, at least 1 x 1) in the file at `path`.

    Numbers keep their type, in the byte order of this machine; text gives float64. Sparse files (.mtx by
    coordinates, .npz of SciPy) give CSR. `name` says which array of an .npz. No object is ever unpickled.
    `free_bytes` is the memory that may be used; the default is what the system says is free.

    Raises UsageError for an ending or a `name` that is not known, several arrays without a `name`, and what
    cannot be opened; UnreadableInput for damage, for what is no matrix of numbers, and for what is too large.
    """
    reader = _reader_of(path)
    if name is not None and reader is not read_npz:
        raise UsageError(f"{path}: only .npz files hold arrays by name; leave out {name!r}.")
    if path.is_dir():
        raise UsageError(f"{path}: this is a folder; name a file in it ({', '.join(READERS)}).")
    try:
        file = path.open("rb")
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be opened ({getattr(error, 'strerror', None) or error}).") from None
    with file:
        free = this_host().free_memory_bytes() if free_bytes is None else free_bytes
        return reader(MatrixSource(path, file, os.fstat(file.fileno()).st_size, name, free))


def _reader_of(path: Path) -> Callable[[MatrixSource], Matrix]:
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        near, known = did_you_mean(path.suffix, list(READERS)), f"Known: {', '.join(READERS)}."
        advice = near if near == known else f"{near} {known}"
        raise UsageError(f"{path}: no matrix is read from files with the ending {path.suffix!r}. {advice}")
    return reader
