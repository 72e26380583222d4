"""On which cores a process runs: all of them, or one.

With MLX's CPU build host and device are threads of one process that wake each other for every evaluation. Where there
is little work between two wake-ups, the time of a message is that of the wake-ups, and these depend on which cores the
two threads happen to run on. On a shared 2-core machine one and the same chain of small operations differed by 8 to
15 % (robust standard deviation) between processes on two cores, and by 2 % on one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from placement_cli.device.builds import installed_builds


def own_cores() -> tuple[int, ...]:
    """Return the cores that this process may use; none where the system does not tell."""
    return tuple(sorted(os.sched_getaffinity(0))) if sys.platform == "linux" else ()


def confine(
    pids: Iterable[int], cores: Sequence[int], threads_of: Callable[[int], Sequence[int]] | None = None
) -> None:
    """Let every thread of the processes run on `cores` alone; threads they start later inherit it.

    Nothing happens where the system cannot do it, and to threads that have ended. `threads_of` is replaced in tests.
    """
    if sys.platform != "linux" or not cores:
        return
    for pid in pids:
        for thread in (threads_of or _threads)(pid):
            with suppress(OSError):
                os.sched_setaffinity(thread, set(cores))


def _threads(pid: int) -> list[int]:
    try:
        return [int(entry.name) for entry in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return []


def evaluates_on_cpu(device: str | None, builds: Sequence[str] | None = None, system: str = sys.platform) -> bool:
    """Tell whether MLX evaluates on the CPU of a system that lets processes be confined to a core.

    `device` is what was asked for, `builds` the names of the installed distributions of MLX.
    """
    names = [build.name for build in installed_builds()] if builds is None else builds
    has_gpu = any(name.startswith("mlx-cuda") for name in names)
    return system == "linux" and (device == "cpu" or not has_gpu)
