"""Watching must not break what is watched: a fault in the recorder is noted, and the program goes on."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

Answer = TypeVar("Answer")


def guarded(note: Callable[..., Answer]) -> Callable[..., Answer | None]:
    """Return `note`, a function whose first argument is the recorder, such that no exception of it gets out.

    Interruptions do: they are meant for the program.
    """

    @functools.wraps(note)
    def safe(recorder: Any, *arguments: Any) -> Answer | None:
        try:
            return note(recorder, *arguments)
        except Exception as error:  # noqa: BLE001 - a fault in watching must not reach the program
            recorder.unseen.add(f"Recording failed in {note.__name__} ({type(error).__name__}: {error}).")
            return None

    return safe
