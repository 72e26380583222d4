"""Watching must not break what is watched: a fault in the recorder is noted, and the program goes on."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

Answer = TypeVar("Answer")
SENTENCES_AT_MOST = 16


def guarded(note: Callable[..., Answer]) -> Callable[..., Answer | None]:
    """Return `note`, a function whose first argument is the recorder, such that no exception of it gets out.

    Interruptions do: they are meant for the program.
    """

    @functools.wraps(note)
    def safe(recorder: Any, *arguments: Any) -> Answer | None:
        try:
            return note(recorder, *arguments)
        except Exception as error:  # noqa: BLE001 - a fault in watching must not reach the program
            admit(recorder, note.__name__, error)
            return None

    return safe


def admit(recorder: Any, where: str, error: Exception) -> None:
    """Let the record say that something was not recorded."""
    if len(recorder.unseen) < SENTENCES_AT_MOST:
        recorder.unseen.add(f"Recording failed in {where} ({type(error).__name__}: {error}).")
