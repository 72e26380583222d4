"""Calling what goes as deep into the stack as a graph has operations, without the program's stack.

MLX 0.32.4 exports a graph by recursion, some 150 bytes an operation: with the eight megabytes that a thread has as a
rule, a chain of 60,000 operations ends the process.
"""

from __future__ import annotations

import _thread
from collections.abc import Callable
from typing import TypeVar

from placement_cli.tracing.collecting import PAUSES

Answer = TypeVar("Answer")
STACK_BYTES = 512 << 20
"""Room for millions of operations. It is address space: what is not used is no memory."""


def deeply(work: Callable[[], Answer]) -> Answer | None:
    """Return what `work` returns in a thread with a deep stack; None where there can be no such thread.

    Raises what `work` raises. The thread may be there a moment longer, and with it what `work` holds.
    """
    done, answers, errors = _thread.allocate_lock(), list[Answer](), list[Exception]()
    done.acquire()

    def run() -> None:
        try:
            answers.append(work())
        except Exception as error:  # noqa: BLE001 - raised again by whoever waits
            errors.append(error)
        finally:
            done.release()

    PAUSES.begin()
    try:
        if not _started(run):
            return None
        done.acquire()
    finally:
        PAUSES.end()
    if errors:
        raise errors.pop()
    return answers[0]


def _started(run: Callable[[], None]) -> bool:
    """Start a thread with a deep stack; those that the program starts have the stack that they had."""
    try:
        usual = _thread.stack_size(STACK_BYTES)
    except ValueError:
        return False
    try:
        _thread.start_new_thread(run, ())
    except RuntimeError:
        return False
    finally:
        _thread.stack_size(usual)
    return True
