"""Leaving a `with` block that still has work pending."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def finish_after(failure: BaseException | None, finish: Callable[[], None]) -> None:
    """Call `finish`; where the block ended in `failure`, an error of `finish` is a note on it, not raised."""
    if failure is None:
        finish()
        return
    try:
        finish()
    except Exception as error:  # noqa: BLE001 - whatever it is must not hide the failure of the block
        failure.add_note(f"Evaluating what was still pending failed too: {type(error).__name__}: {error}")
