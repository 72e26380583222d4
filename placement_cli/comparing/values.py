"""What a value of a series may be, whichever file it came from."""

from __future__ import annotations

from collections.abc import Sequence

from placement_cli.errors import UnreadableInput

LEAST, MOST = 1e-15, 1e15
"""Values that are neither zero nor between these are no seconds, bytes or shares that anything was measured at."""


def checked(values: Sequence[float], place: str) -> tuple[float, ...]:
    """Return `values`; raises UnreadableInput naming `place` when one is no quantity that can have been measured."""
    for value in values:
        if not (value == 0 or LEAST <= value <= MOST):
            raise UnreadableInput(f"{place}: {value:.4g} is nothing that can have been measured.")
    return tuple(values)
