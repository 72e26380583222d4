"""Matrices in the text format of Matrix Market, by coordinates or by values.

SciPy reads the header. Its reader of the numbers (scipy.io.mmread, SciPy 1.17) crashes on torn ones, writes
beyond the matrix when a skew-symmetric one has too many, and passes over what follows a number; NumPy reads them
here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from placement_cli.blocks.wording import counted
from placement_cli.errors import UnreadableInput
from placement_cli.store.matrix_source import MatrixSource
from placement_cli.store.number_table import Layout, read_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

DTYPES = {"integer": "int64", "unsigned-integer": "uint64", "pattern": "int64"}
"""How the numbers of a field are read; all others as float64."""
VALUES = {"pattern": 0, "complex": 2}
"""How many numbers a value is; one in all other fields."""
NUMBER_BYTES = 2
"""A number takes at least a digit and a blank or the end of the line."""
ENTRY_BYTES = 96
"""Memory of an entry: its line as four numbers, then two indices and a complex value, twice where it is mirrored."""


@dataclass(frozen=True, slots=True)
class _Sizes:
    """What the header claims, as scipy.io.mminfo returns it."""

    rows: int
    columns: int
    entries: int
    layout: str
    field: str
    symmetry: str

    @property
    def is_sparse(self) -> bool:
        return self.layout == "coordinate"

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.columns

    @property
    def lines(self) -> int:
        """How many lines of numbers there are; of a symmetric matrix one triangle is written."""
        if self.is_sparse:
            return self.entries
        if self.symmetry == "general":
            return self.rows * self.columns
        return self.rows * (self.rows + (-1 if self.symmetry == "skew-symmetric" else 1)) // 2

    @property
    def width(self) -> int:
        """How many numbers are in a line."""
        return 2 * self.is_sparse + VALUES.get(self.field, 1)


def read_matrix_market(source: MatrixSource) -> NDArray[Any] | csr_array[Any]:
    """Return the matrix in an .mtx file: CSR when it is written by coordinates, else dense."""
    from scipy.io import mminfo

    with source.told_as("Matrix Market file"):
        sizes = _Sizes(*mminfo(source.path))
        _check_sizes(source, sizes)
        table = _table(source, sizes)
        return _sparse(sizes, table) if sizes.is_sparse else _dense(sizes, table)


def _check_sizes(source: MatrixSource, sizes: _Sizes) -> None:
    source.check_matrix(sizes.shape)
    if sizes.symmetry != "general" and sizes.rows != sizes.columns:
        raise ValueError(f"it claims to be {sizes.symmetry} with {sizes.rows} rows and {sizes.columns} columns")
    if (sizes.field, sizes.symmetry) == ("unsigned-integer", "skew-symmetric"):
        raise ValueError("numbers without a sign cannot be skew-symmetric")
    if not sizes.width:
        raise ValueError("a pattern without coordinates has no values")
    source.check_held(NUMBER_BYTES * sizes.width * sizes.lines, source.size_bytes + 1)
    source.check_memory(ENTRY_BYTES * sizes.lines)
    if sizes.is_sparse:
        source.check_channels(sizes.shape)


def _table(source: MatrixSource, sizes: _Sizes) -> NDArray[Any]:
    """Return the numbers below the header, as many as it claims."""
    with source.path.open(encoding="latin-1") as text:  # comments may be in any encoding
        layout = Layout(_header_lines(text), None, sizes.lines + 1)
        text.seek(0)
        table = read_numbers(source, text, layout, DTYPES.get(sizes.field, "float64"))
    if len(table) != sizes.lines or (len(table) and table.shape[1] != sizes.width):
        raise UnreadableInput(
            f"{source.path}: its header claims {counted(sizes.lines, 'line')} of {counted(sizes.width, 'number')}, and "
            f"{_found(table, sizes)} there. The file is cut off or damaged."
        )
    return table.reshape(sizes.lines, sizes.width)


def _header_lines(text: TextIO) -> int:
    """Return how many lines there are up to the one with the sizes: the banner, comments and blank lines."""
    for number, line in enumerate(text, 1):
        if line.strip() and not line.lstrip().startswith("%"):
            return number
    return 0


def _found(table: NDArray[Any], sizes: _Sizes) -> str:
    rows = f"more than {sizes.lines}" if len(table) > sizes.lines else str(len(table))
    return f"{rows} of {table.shape[1]} are" if len(table) else "none are"


def _values(sizes: _Sizes, table: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    first = 2 * sizes.is_sparse
    if sizes.field == "pattern":
        return np.ones(len(table))
    if sizes.field == "complex":
        return table[:, first] + 1j * table[:, first + 1]
    return table[:, first].copy()


def _mirrored(sizes: _Sizes, values: NDArray[Any]) -> NDArray[Any]:
    """Return the values across the diagonal from `values`."""
    match sizes.symmetry:
        case "skew-symmetric":
            return -values
        case "hermitian":
            return values.conj()
        case _:
            return values


def _sparse(sizes: _Sizes, table: NDArray[Any]) -> csr_array[Any]:
    """Put the entries in place; entries of one place add up, as they do in SciPy."""
    import numpy as np
    from scipy.sparse import coo_array, csr_array

    places = table[:, :2]
    if (places != np.floor(places)).any() or (places < 1).any() or (places > sizes.shape).any():
        raise ValueError("an entry lies outside the matrix")
    rows, columns = places.T.astype(np.intp) - 1
    values = _values(sizes, table)
    if sizes.symmetry != "general":
        off = rows != columns
        values = np.concatenate([values, _mirrored(sizes, values[off])])
        rows, columns = np.concatenate([rows, columns[off]]), np.concatenate([columns, rows[off]])
    return csr_array(coo_array((values, (rows, columns)), shape=sizes.shape))


def _dense(sizes: _Sizes, table: NDArray[Any]) -> NDArray[Any]:
    """Put the values in place, which are written column by column."""
    import numpy as np

    values = _values(sizes, table)
    if sizes.symmetry == "general":
        return values.reshape(sizes.shape, order="F")
    matrix = np.zeros(sizes.shape, values.dtype)
    columns, rows = np.triu_indices(sizes.rows, k=1 if sizes.symmetry == "skew-symmetric" else 0)
    matrix[columns, rows] = _mirrored(sizes, values)
    matrix[rows, columns] = values
    return matrix
