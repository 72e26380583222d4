"""A file that is said to hold a matrix: what it claims is checked before any memory is spent on it."""

from __future__ import annotations

import lzma
import math
import reprlib
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from placement_cli.blocks.matrices import NUMBERS
from placement_cli.errors import UnreadableInput
from placement_cli.units import MAX_SIZE, format_size

if TYPE_CHECKING:
    import numpy as np

DAMAGE = (
    ArithmeticError,
    AttributeError,
    DeprecationWarning,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    lzma.LZMAError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What NumPy, SciPy and the standard library raise on content that is damaged, or made to do damage."""

REASON_CHARACTERS = 160
"""Longest reason of a library that is passed on."""
CHANNEL_BYTES = 64
"""Memory a row or column of a sparse matrix costs however few nonzeros it has: eight indices, for its place,
its extents and its component."""


@dataclass(frozen=True, slots=True)
class MatrixSource:
    """An open file of `size_bytes`; `name` is the array asked for, `free_bytes` the memory that may be used.

    None: no name was given; the free memory is not known.
    """

    path: Path
    file: BinaryIO
    size_bytes: int
    name: str | None
    free_bytes: int | None

    def check_held(self, claimed_bytes: int, held_bytes: int) -> None:
        """Raise UnreadableInput where numbers are claimed that the file has no room for."""
        if claimed_bytes > held_bytes:
            raise UnreadableInput(
                f"{self.path}: its header claims {_at_least(claimed_bytes)} of numbers, but it holds "
                f"{_at_least(held_bytes)}. The file is cut off or damaged; save it again."
            )

    def check_memory(self, needed_bytes: int) -> None:
        """Raise UnreadableInput where the matrix may not fit into the memory that is free."""
        if self.free_bytes is not None and needed_bytes > self.free_bytes:
            raise UnreadableInput(
                f"{self.path}: reading it may take {_at_least(needed_bytes)} of memory, and "
                f"{format_size(self.free_bytes)} are free. Use a machine with more memory or a smaller matrix."
            )

    def check_numbers(self, dtype: np.dtype[Any]) -> None:
        """Raise UnreadableInput for an array of anything but numbers."""
        if dtype.kind not in NUMBERS:
            raise UnreadableInput(f"{self.path}: holds {_contents(dtype)}; save the weights as numbers.")

    def check_matrix(self, shape: Sequence[int]) -> None:
        """Raise UnreadableInput for what is no matrix of inputs x outputs, or is empty."""
        if len(shape) != 2:
            raise UnreadableInput(
                f"{self.path}: holds an array of shape {reprlib.repr(tuple(shape))}; a weight matrix has 2 axes, "
                f"inputs x outputs. {_remedy(shape)}"
            )
        if min(shape) < 1:
            raise UnreadableInput(f"{self.path}: the matrix is empty ({shape[0]} x {shape[1]}).")

    def check_channels(self, shape: Sequence[int]) -> None:
        """Raise UnreadableInput where a sparse matrix has so many rows and columns that memory will not do."""
        self.check_memory(CHANNEL_BYTES * sum(shape))

    @contextmanager
    def told_as(self, kind: str) -> Iterator[None]:
        """Tell any damage that a library meets as one UnreadableInput: this is no `kind`."""
        try:
            yield
        except DAMAGE as error:
            reason = " ".join(str(error).split())[:REASON_CHARACTERS].rstrip(".")
            why = f" ({reason})" if reason else ""
            raise UnreadableInput(f"{self.path}: this is no readable {kind}{why}.") from None


def array_bytes(shape: Sequence[int], dtype: np.dtype[Any]) -> int:
    """Return what an array takes, exactly however large it claims to be; raises ValueError for negative axes."""
    if any(size < 0 for size in shape):
        raise ValueError("an axis of the array has a negative size")
    return math.prod(shape) * dtype.itemsize


def _at_least(size_bytes: int) -> str:
    return format_size(size_bytes) if size_bytes <= MAX_SIZE else f"more than {format_size(MAX_SIZE)}"


def _contents(dtype: np.dtype[Any]) -> str:
    if dtype.hasobject:
        return "Python objects, which could run code when they are read"
    if dtype.kind == "V":
        return f"raw bytes or records (type {reprlib.repr(str(dtype))})"
    return f"no numbers but type {dtype}"


def _remedy(shape: Sequence[int]) -> str:
    if len(shape) > 2:
        return "Save one matrix of it, such as array[0], or join axes with array.reshape(inputs, outputs)."
    return "Save it with both axes, such as array.reshape(inputs, outputs)."
