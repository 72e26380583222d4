"""The frame of progress: what is shown while a block lasts, and is gone after it."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import Progress

BAR, NARROW_BAR = 24, 10
"""Columns of a bar, and in a terminal of fewer than 80 columns."""


def bar_width(console: Console) -> int:
    """Return how many columns the bar itself takes."""
    return BAR if console.width >= 80 else NARROW_BAR


class Framed:
    """Shows `_progress` inside the block."""

    _progress: Progress

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()


class Unframed:
    """Shows nothing of its own: what is told is written as it comes, or not at all."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None
