"""Stretches of a program in which every operation is recorded, with the arrays it reads and makes."""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

from placement_cli.tracing.raw import Place, RawOp

WINDOWS_KEPT = 3
NO_WINDOW: tuple[int, tuple[int, ...]] = (-1, ())
FOUND = "array"
"""Stands for the operation that made an array which was there before anything was seen of it."""


class Windows:
    """The operations of the last windows, and serial numbers of the arrays in the one that is open.

    An array is known by its id as long as it is there, which a weak reference tells: the id alone would be taken for
    that of an array that had it before.
    """

    def __init__(self) -> None:
        self.number = -1
        self.made: dict[int, int] = {}
        self._kept: deque[list[tuple[Any, ...]]] = deque(maxlen=WINDOWS_KEPT)
        self._serials: dict[int, tuple[Any, int]] = {}
        self._serial = 0

    def open(self) -> None:
        """Begin a window."""
        self.number += 1
        self._kept.append([])
        self._serials.clear()

    def forget(self) -> None:
        """Begin anew: this is another process now."""
        self.number = -1
        self._kept.clear()
        self._serials.clear()
        self.made.clear()

    def serial_of(self, ident: int) -> int:
        """Return the serial number of the array with this id; 0 for one that was not seen."""
        known = self._serials.get(ident)
        return known[1] if known is not None and known[0]() is not None else 0

    def within(self, ids: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """Return the number of the window, and the serial numbers of the arrays with these ids."""
        return self.number, tuple(self.serial_of(each) for each in ids)

    def record(
        self, name: str, place: int, thread: str, inputs: list[Any], outputs: list[Any], at: int, took: int
    ) -> None:
        """Record an operation; inputs that were never seen before are found here."""
        if not self._kept:
            self.open()
        read = tuple(self.serial_of(id(each)) or self._add(FOUND, place, thread, (), each, at, 0) for each in inputs)
        for output in outputs:
            self._add(name, place, thread, read, output, at, took)
            self.made[id(output)] = place

    def _add(self, name: str, place: int, thread: str, inputs: tuple[int, ...], output: Any, at: int, took: int) -> int:
        self._serial += 1
        self._serials[id(output)] = (weakref.ref(output), self._serial)
        entry = (self.number, at, took, name, place, thread, self._serial, inputs)
        self._kept[-1].append((*entry, output.shape, str(output.dtype), output.nbytes))
        return self._serial

    def raw(self, known: list[Place]) -> tuple[RawOp, ...]:
        """Return every operation of the windows that are kept."""
        return tuple(_op(known, entry) for window in list(self._kept) for entry in list(window))


def _op(known: list[Place], entry: tuple[Any, ...]) -> RawOp:
    window, at, took, name, place, thread, serial, inputs, shape, dtype, size = entry
    return RawOp(window, at / 1e9, took / 1e9, name, known[place], thread, serial, inputs, shape, dtype, size)
