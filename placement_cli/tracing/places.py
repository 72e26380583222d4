"""From frames to places: the innermost line that belongs to the program itself."""

from __future__ import annotations

import os
import sys
import sysconfig
from itertools import count
from types import CodeType, FrameType

from placement_cli.tracing.raw import Place

PROGRAM, INSTALLED, HIDDEN = 0, 1, 2
"""Whose code it is: the program's, an installed package's or the standard library's, MLX's, NumPy's or our own."""
TIMEIT = "<timeit-src>"
"""What `timeit` names the code in which it reads its clock."""
HIDDEN_PACKAGES = ("mlx", "numpy")
OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep  # noqa: PTH120, PTH100 - nothing is imported that is not needed


CODES_AT_MOST, PLACES_AT_MOST = 10_000, 5_000
"""What a program that makes code as it runs is remembered of; further places count as one."""
ELSEWHERE = Place("<other places>", 0, "<module>")


def installed_folders() -> tuple[str, ...]:
    """Return the folders of the standard library and of installed packages, with a separator at the end."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple({sysconfig.get_path(name) + os.sep for name in names})


def caller() -> FrameType | None:
    """Return the frame that called the function which asks; None where none did, as for an atexit callback."""
    try:
        return sys._getframe(2)
    except ValueError:
        return None


class Places:
    """Knows every place that was met, by its index in `known`."""

    def __init__(self, installed: tuple[str, ...] | None = None) -> None:
        self.known: list[Place] = []
        self._installed = installed_folders() if installed is None else installed
        self.standard = sysconfig.get_path("stdlib") + os.sep
        self._hidden = tuple(os.sep + name + os.sep for name in HIDDEN_PACKAGES)
        self._owners: dict[int, int] = {}
        self._index: dict[tuple[int, int], int] = {}
        self._numbers = count()
        self._same: dict[tuple[Place, int], int] = {}
        # An id stands for a code object as long as the object is there.
        self._codes: list[CodeType] = []

    def of(self, frame: FrameType) -> int:
        """Return the index of the place that `frame`'s call belongs to."""
        owners = self._owners
        at: FrameType | None = frame
        within: FrameType | None = None
        while at is not None:
            code = at.f_code
            owner = owners.get(id(code))
            if owner is None:
                owner = self.owner(code)
            if not owner:
                break
            within, at = (within if code.co_filename.startswith(OURS) else at), at.f_back
        if at is None:
            at, within = self._innermost(frame), None
        index = self._index.get((id(at.f_code), at.f_lasti))
        return self._add(at, within) if index is None else index

    def owner(self, code: CodeType) -> int:
        """Return whose code it is: PROGRAM, INSTALLED or HIDDEN."""
        owner = self._owners.get(id(code))
        if owner is None:
            owner = self.owner_of_file(code.co_filename)
            if len(self._codes) < CODES_AT_MOST:
                self._keep(code, owner)
        return owner

    def is_kept(self, code: CodeType) -> bool:
        """Tell whether the id of a function's code stands for it as long as the program runs."""
        return id(code) in self._owners

    def adopt(self, code: CodeType) -> None:
        """Take a function for one of the program, wherever it lies."""
        self._keep(code, PROGRAM)

    def _keep(self, code: CodeType, owner: int) -> None:
        self._owners[id(code)] = owner
        self._codes.append(code)

    def owner_of_file(self, file: str) -> int:
        """Return whose code a file holds, by where it lies."""
        if file.startswith(OURS):
            return HIDDEN
        if file.startswith("<frozen ") or file == TIMEIT:
            return INSTALLED
        if not file.startswith(self._installed):
            return PROGRAM
        packages = "site-packages" in file or "dist-packages" in file
        return HIDDEN if packages and any(part in file for part in self._hidden) else INSTALLED

    def _innermost(self, frame: FrameType) -> FrameType:
        """Return the first frame that is neither MLX's nor NumPy's nor ours: the program is an installed one."""
        at: FrameType | None = frame
        while at is not None:
            if self.owner(at.f_code) != HIDDEN:
                return at
            at = at.f_back
        return frame

    def _add(self, frame: FrameType, within: FrameType | None) -> int:
        code = frame.f_code
        through = within.f_globals.get("__name__", "") if within is not None else ""
        place = Place(code.co_filename, frame.f_lineno or code.co_firstlineno, qualified(code), str(through))
        # Code that is made anew each time, as for `eval`, has the places that it had before.
        index = self._same.get((place, frame.f_lasti))
        if index is None:
            index = self._new(place, frame.f_lasti)
        if self.is_kept(code):
            self._index[id(code), frame.f_lasti] = index
        return index

    def _new(self, place: Place, step: int) -> int:
        if len(self.known) >= PLACES_AT_MOST:
            place, step = ELSEWHERE, 0
            if (place, step) in self._same:
                return self._same[place, step]
        # Numbered first: another thread, or a signal's handler in this one, may come by a new place meanwhile.
        index = self._same[place, step] = next(self._numbers)
        while len(self.known) <= index:
            self.known.append(ELSEWHERE)
        self.known[index] = place
        return index


def qualified(code: CodeType) -> str:
    """Return the qualified name of a function; Python 3.11 and later know it."""
    return code.co_qualname if sys.version_info >= (3, 11) else code.co_name
