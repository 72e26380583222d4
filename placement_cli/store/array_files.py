"""Matrices in the formats of NumPy (.npy, .npz) and in the sparse .npz of SciPy."""

from __future__ import annotations

import warnings
import zipfile
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy

from placement_cli.errors import UnreadableInput, UsageError, did_you_mean
from placement_cli.store.matrix_source import MatrixSource, array_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Members = dict[str, zipfile.ZipInfo]
    Header = tuple[tuple[int, ...], np.dtype[Any]]

SPARSE_MEMBERS = {"format", "shape", "data"}
"""What every sparse matrix that SciPy saved has among its arrays (scipy.sparse.save_npz)."""
SPARSE_COPIES = 3
"""The sparse matrix as read, as CSR, and what sorting its indices takes."""
NAMES_SHOWN = 12


def read_npy(source: MatrixSource) -> NDArray[Any]:
    """Return the matrix in an .npy file."""
    with source.told_as(".npy file"):
        shape, dtype = _header(source.file)
        source.check_numbers(dtype)
        source.check_matrix(shape)
        _check_size(source, (shape, dtype), source.size_bytes - source.file.tell())
        source.file.seek(0)
        return _array(source.file)


def read_npz(source: MatrixSource) -> NDArray[Any] | csr_array[Any]:
    """Return the dense matrix of the source's name in an .npz file, or the sparse matrix that it is."""
    with source.told_as(".npz file"), zipfile.ZipFile(source.file) as archive:
        members = {
            info.filename.removesuffix(".npy"): info for info in archive.infolist() if info.filename.endswith(".npy")
        }
        if members.keys() >= SPARSE_MEMBERS:
            return _sparse(source, archive, members)
        return _dense(source, archive, members[_chosen(source, list(members))])


def _chosen(source: MatrixSource, names: list[str]) -> str:
    """Return which array is meant."""
    if not names:
        raise UnreadableInput(f"{source.path}: holds no array.")
    if source.name is None and len(names) > 1:
        shown = ", ".join(names[:NAMES_SHOWN]) + (", …" if len(names) > NAMES_SHOWN else "")
        raise UsageError(f"{source.path}: holds {len(names)} arrays ({shown}); name the one that is the matrix.")
    if source.name is not None and source.name not in names:
        raise UsageError(f"{source.path}: holds no array {source.name!r}. {did_you_mean(source.name, names)}")
    return names[0] if source.name is None else source.name


def _dense(source: MatrixSource, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    shape, dtype = _checked_header(source, archive, member)
    source.check_numbers(dtype)
    source.check_matrix(shape)
    with archive.open(member) as stream:
        return _array(stream)


def _sparse(source: MatrixSource, archive: zipfile.ZipFile, members: Members) -> csr_array[Any]:
    """Return the sparse matrix as CSR; SciPy believes what the file says, so that every index is checked."""
    from scipy.sparse import csr_array, load_npz

    if source.name is not None:
        raise UsageError(f"{source.path}: holds one sparse matrix and no array by name; leave out {source.name!r}.")
    headers = {name: _checked_header(source, archive, member) for name, member in members.items()}
    _check_parts(source, headers)
    with archive.open(members["shape"]) as stream:
        shape = [int(size) for size in _array(stream)]
    source.check_matrix(shape)
    source.check_channels(shape)
    source.check_memory(SPARSE_COPIES * sum(member.file_size for member in members.values()))
    source.file.seek(0)
    matrix: Any = load_npz(source.file)
    if hasattr(matrix, "indptr"):
        _check_indices(matrix)
    if matrix.dtype == np.float16:  # SciPy saves it and cannot compute with it; float32 holds every value
        matrix = matrix.astype(np.float32)
    return csr_array(matrix)


def _check_indices(matrix: Any) -> None:
    """Raise ValueError where an index of a CSR, CSC or BSR matrix points outside of it.

    SciPy looks at no index at all where the last entry of `indptr` is negative.
    """
    if (matrix.indptr[1:] < matrix.indptr[:-1]).any():
        raise ValueError("the starts of its rows do not ascend")
    matrix.check_format(full_check=True)


def _check_parts(source: MatrixSource, headers: dict[str, Header]) -> None:
    """Check that the parts of a sparse matrix are what SciPy takes them for."""
    for name, (_, dtype) in headers.items():
        if name == "data":
            source.check_numbers(dtype)
        elif name not in ("format", "_is_array") and dtype.kind not in "iu":
            raise UnreadableInput(f"{source.path}: {name!r} of its sparse matrix has type {dtype}, not integers.")
    if headers["shape"][0] != (2,):
        raise UnreadableInput(f"{source.path}: holds a sparse array whose shape is no pair of inputs and outputs.")


def _checked_header(source: MatrixSource, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Header:
    with archive.open(member) as stream:
        header = _header(stream)
        _check_size(source, header, member.file_size - stream.tell())
    return header


def _check_size(source: MatrixSource, header: Header, held_bytes: int) -> None:
    shape, dtype = header
    if dtype.hasobject:
        source.check_numbers(dtype)
    claimed = array_bytes(shape, dtype)
    source.check_held(claimed, held_bytes)
    source.check_memory(claimed)


def _header(stream: IO[bytes]) -> Header:
    """Read shape and type from the start of an array; raises ValueError where it has no such start."""
    with warnings.catch_warnings(action="ignore"):  # what Python 2 wrote is read too; NumPy says it takes longer
        version = npy.read_magic(stream)
        if version == (1, 0):
            shape, _, dtype = npy.read_array_header_1_0(stream)
        elif version == (2, 0):
            shape, _, dtype = npy.read_array_header_2_0(stream)
        else:  # 3.0 is for names of fields that are not Latin, and a matrix has no fields
            raise ValueError(f"version {version} of the format is none of a plain array")
    return shape, dtype


def _array(stream: IO[bytes]) -> NDArray[Any]:
    """Read an array whose header was checked, in the byte order of this machine."""
    with warnings.catch_warnings(action="ignore"):  # as for the header
        array: NDArray[Any] = np.load(stream, mmap_mode=None, allow_pickle=False)
    return array.astype(array.dtype.newbyteorder("="), copy=False)
