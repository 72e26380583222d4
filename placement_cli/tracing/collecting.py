"""Keeping Python's garbage collector out of threads that are not the program's.

It runs in whatever thread makes the next object, and with it finalizers of the program. Some must run in the program's
own threads: those of windows, for one, and those that evaluate an array of MLX.
"""

from __future__ import annotations

import _thread
import gc


class Pauses:
    """How many threads want no collection just now, and whether there is one without them.

    `begin` and `end` make no object that could set off a collection.
    """

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._number, self._enabled = 0, True

    def begin(self) -> None:
        """Let nothing be collected until `end`, which has to come soon: the program's threads do without as well."""
        # Not `with`: that makes objects.
        self._lock.acquire()
        if not self._number:
            self._enabled = gc.isenabled()
            gc.disable()
        self._number += 1
        self._lock.release()

    def end(self) -> None:
        """Let collections go on as the program wants them, unless another thread wants none."""
        self._lock.acquire()
        self._number -= 1
        if not self._number and self._enabled:
            gc.enable()
        self._lock.release()

    def forked(self) -> None:
        """Begin anew in a child process: a thread that wanted no collection is not there."""
        self._lock = _thread.allocate_lock()
        if self._number and self._enabled:
            gc.enable()
        self._number = 0


PAUSES = Pauses()
"""Those of this process."""
