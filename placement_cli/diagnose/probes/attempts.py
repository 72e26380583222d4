"""Calls that may be refused, in this thread or in another one, and what came of them in words."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Any

from placement_cli.diagnose.probes.rig import Rig

PAUSE_S = 0.001
"""How long the thread that watches sleeps between two looks at the clock."""

Attempt = Any
"""What a call returned, or the error that it raised."""


def attempt(call: Callable[[], Any]) -> Attempt:
    """Return what `call` returns, or the error that MLX raised in it."""
    try:
        return call()
    except (RuntimeError, ValueError) as error:
        return error


def in_thread(call: Callable[[], Any]) -> Attempt:
    """Return what `call` returns in a new thread, or the error that MLX raised in it."""
    found: list[Attempt] = []
    thread = Thread(target=lambda: found.append(attempt(call)))
    thread.start()
    thread.join()
    if not found:
        raise RuntimeError("the other thread ended without a result")
    return found[0]


def clocked(rig: Rig, call: Callable[[], Any]) -> tuple[Any, float]:
    """Return what `call` returns, and how many seconds it took."""
    start = rig.now()
    result = call()
    return result, rig.now() - start


def longest_gap(rig: Rig, wait: Callable[[], Any]) -> float:
    """Return the longest time in seconds between two looks at the clock that another thread took during `wait`."""
    over, looking, gaps = Event(), Event(), [0.0]

    def look() -> None:
        before = rig.now()
        while not over.is_set():
            looking.set()
            over.wait(PAUSE_S)
            now = rig.now()
            gaps.append(now - before)
            before = now

    thread = Thread(target=look)
    thread.start()
    looking.wait()
    try:
        wait()
    finally:
        over.set()
        thread.join()
    return max(gaps)


def told_of(found: Attempt) -> str:
    """Return what came of an attempt, such as `gave 2.0` or `raised RuntimeError (...)`."""
    if not isinstance(found, Exception):
        return "worked" if found is None else f"gave {found}"
    first = (str(found).splitlines() or [""])[0].rstrip(".")
    return f"raised {type(found).__name__} ({first})"


def error_in(found: Attempt) -> dict[str, float | str | None]:
    """Return the error of an attempt as a number of a probe; None when there was none."""
    return {"error": f"{type(found).__name__}: {found}" if isinstance(found, Exception) else None}
