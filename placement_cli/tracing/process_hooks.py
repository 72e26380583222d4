"""What is put around the ends and beginnings of processes, so that each leaves its own record."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from placement_cli.tracing.patches import Make, Patches


def hook_process(write: Callable[[], None], go_on: Callable[[], None], patches: Patches) -> None:
    """Call `write` before the process ends without clean-up or becomes another program, `go_on` where it does not."""
    for name in ("_exit", "execv", "execve"):
        patches.replace(os, name, _before(write, go_on))


def _before(write: Callable[[], None], go_on: Callable[[], None]) -> Make:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def end(*arguments: Any, **options: Any) -> Any:
            # A Ctrl-C as well: a child process that does not end here would go on with what its parent does.
            with suppress(BaseException):
                write()
            try:
                return original(*arguments, **options)
            except Exception:
                # As when each folder in which the other program may be is tried.
                go_on()
                raise

        return end

    return make
