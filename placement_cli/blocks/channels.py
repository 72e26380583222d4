"""A frozen list of channel numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray


class Channels:
    """Channel numbers in an order, compared by value, hashable and picklable, unlike an array of NumPy."""

    __slots__ = ("_numbers",)

    def __init__(self, numbers: NDArray[np.intp] | Iterable[int]) -> None:
        """Keep a read-only copy of `numbers`."""
        import numpy as np

        kept = np.array(numbers if isinstance(numbers, np.ndarray) else list(numbers), dtype=np.intp)
        kept.setflags(write=False)
        self._numbers = kept

    @property
    def array(self) -> NDArray[np.intp]:
        """The numbers as a read-only array."""
        return self._numbers

    def __len__(self) -> int:
        return int(self._numbers.size)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Channels):
            return NotImplemented
        return len(self) == len(other) and bool((self._numbers == other._numbers).all())

    def __hash__(self) -> int:
        return hash(self._numbers.tobytes())

    def __repr__(self) -> str:
        return f"Channels({self._numbers.tolist()!r})"

    def __reduce__(self) -> tuple[type[Channels], tuple[NDArray[np.intp]]]:
        return Channels, (self._numbers.copy(),)
