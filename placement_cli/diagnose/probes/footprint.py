"""Bytes as MLX counts them, around something that is executed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placement_cli.diagnose.probes.rig import Rig

SHAPE = (512, 1024)
"""Shape of the arrays whose buffers are counted."""
BUFFER_BYTES = 512 * 1024 * 4
"""Bytes of one array of SHAPE in float32; a multiple of every page size, so that no allocator rounds it."""
ROUNDING_BYTES = 64 * 1024
"""Bytes that a peak may miss a figure by, on account of scalars."""


def settle(rig: Rig) -> int:
    """Wait, empty the cache, and return the active bytes: from here on every buffer is asked of the system."""
    rig.quiet()
    rig.mx.clear_cache()
    return int(rig.mx.get_active_memory())


def peak_over(rig: Rig, call: Callable[[], Any], *, behind_work: bool = False) -> int:
    """Return by how many bytes the peak while `call` runs exceeds what was active before.

    With `behind_work` the stream is still busy with the rig's work while `call` runs, so that nothing it schedules
    ends before all of it is scheduled. The peak is 0 after it was reset, also while buffers are active: the larger of
    the two counts.
    """
    before = settle(rig)
    ahead = rig.work() if behind_work else None
    if ahead is not None:
        rig.mx.async_eval(ahead)
        before = int(rig.mx.get_active_memory())
    rig.mx.reset_peak_memory()
    kept = call()
    peak = max(int(rig.mx.get_peak_memory()), int(rig.mx.get_active_memory()))
    rig.quiet()
    del kept, ahead
    return max(peak, int(rig.mx.get_peak_memory())) - before


def fresh_array(rig: Rig, shape: tuple[int, ...] = SHAPE) -> Any:
    """Return ones in a buffer of their own, copied from NumPy: evaluated, with no graph and no constant behind it."""
    import numpy as np

    return rig.mx.array(np.ones(shape, dtype=np.float32))


def chained(rig: Rig, start: Any, ops: int) -> list[Any]:
    """Return `start` and what each of so many operations in a row makes of it, lazy; no operation has a constant."""
    arrays = [start]
    for _ in range(ops):
        arrays.append(rig.mx.negative(arrays[-1]))
    return arrays
