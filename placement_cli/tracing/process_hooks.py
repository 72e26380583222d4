"""What is put around the ends and beginnings of processes, so that each leaves its own record."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from placement_cli.tracing.patches import Make, Patches


def hook_process(write: Callable[[], None], patches: Patches) -> None:
    """Call `write` before the process ends without clean-up, or becomes another program."""
    for name in ("_exit", "execv", "execve"):
        patches.replace(os, name, _before(write))


def _before(write: Callable[[], None]) -> Make:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def end(*arguments: Any, **options: Any) -> Any:
            write()
            return original(*arguments, **options)

        return end

    return make
