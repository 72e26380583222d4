"""Matrices as text: rows of numbers between commas, semicolons or tabs."""

from __future__ import annotations

import re
import reprlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TextIO

from placement_cli.blocks.wording import counted
from placement_cli.errors import UnreadableInput
from placement_cli.store.matrix_source import MatrixSource

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

SEPARATORS = (";", "\t", ",")
"""What may stand between numbers: the first of these in the first row. A comma may also be part of a number."""
NUMBER_SHARE = 5
"""Memory by bytes of text: a number is two characters at least, takes eight bytes, and the text is there too."""

_BETWEEN = re.compile(r"[;,\s]+")


@dataclass(frozen=True, slots=True)
class Layout:
    """How many lines stand before the numbers, what is between them (None: blanks), and how many rows to read."""

    skipped: int
    separator: str | None
    max_rows: int | None = None


def read_table(source: MatrixSource) -> NDArray[Any]:
    """Return the numbers of a .csv file as float64, a row of the matrix a line.

    A first line without any number is a heading, blank lines do not count. Raises UnreadableInput with line and
    cell of the first that is no number or empty, or of the first row of another length.
    """
    source.check_memory(NUMBER_SHARE * source.size_bytes)
    with source.told_as("table of numbers"), source.path.open(encoding="utf-8-sig") as text:
        layout = _layout_of(text)
        text.seek(0)
        table = read_numbers(source, text, layout, float)
        if not table.size:
            heading = " below its heading" if layout.skipped else ""
            raise UnreadableInput(f"{source.path}: the matrix is empty, no line{heading} holds numbers.")
        return table


def read_numbers(source: MatrixSource, text: TextIO, layout: Layout, dtype: DTypeLike) -> NDArray[Any]:
    """Return the numbers in `text`, which is at its start, as (rows, columns); without rows it is empty.

    Raises UnreadableInput for the first cell that is no number and the first row of another length, ValueError
    for numbers that are none of `dtype`.
    """
    try:
        return _parsed(text, layout, dtype)
    except (ValueError, DeprecationWarning):
        text.seek(0)
        _tell_first_fault(source, text, layout)
        raise


def _parsed(text: TextIO, layout: Layout, dtype: DTypeLike) -> NDArray[Any]:
    import numpy as np

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of blank lines and of text without rows
        warnings.simplefilter("error", DeprecationWarning)  # of fractions read as integers, in NumPy below 2.4
        return np.loadtxt(
            text,
            dtype,
            comments=None,
            delimiter=layout.separator,
            skiprows=layout.skipped,
            max_rows=layout.max_rows,
            ndmin=2,
        )


def _layout_of(text: TextIO) -> Layout:
    filled = list(islice(_filled(text), 2))
    if not filled:
        return Layout(0, ",")
    separator = next((each for each in SEPARATORS if each in filled[-1][1]), ",")
    number, first = filled[0]
    return Layout(number if _is_heading(first.split(separator)) else number - 1, separator)


def _is_heading(cells: list[str]) -> bool:
    """Whether these are words; numbers with something else between them are none, and must be told."""
    if any(_is_number(cell) or _is_empty(cell) for cell in cells):
        return False
    return not all(_is_number(word) for cell in cells for word in _BETWEEN.split(cell.strip()))


def _filled(text: TextIO) -> Iterator[tuple[int, str]]:
    """Yield number and content of the lines that are not blank."""
    return ((number, line.rstrip("\n")) for number, line in enumerate(text, 1) if line != "\n")


def _tell_first_fault(source: MatrixSource, text: TextIO, layout: Layout) -> None:
    """Raise UnreadableInput for the first cell that is no number, or the first row of another length."""
    width = None
    for number, content in _filled(text):
        if number <= layout.skipped:
            continue
        cells = content.split(layout.separator)
        for column, cell in enumerate(cells, 1):
            if not _is_number(cell):
                said = "is empty" if _is_empty(cell) else f"is {reprlib.repr(cell)}, which is no number"
                raise UnreadableInput(f"{source.path}:{number}:{column}: cell {column} of line {number} {said}.")
        width = width or len(cells)
        if len(cells) != width:
            raise UnreadableInput(
                f"{source.path}:{number}:{min(width, len(cells)) + 1}: line {number} has "
                f"{counted(len(cells), 'cell')}, the lines before have {width}."
            )


def _is_empty(cell: str) -> bool:
    return not cell.strip()


def _is_number(cell: str) -> bool:
    """Whether NumPy reads the cell as a number, which Python does also with underscores and foreign digits."""
    try:
        float(cell)
    except ValueError:
        return False
    return cell.isascii() and "_" not in cell
