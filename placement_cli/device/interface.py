"""The small interface to MLX that the measuring code uses and the tests fake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

METAL_COMMAND_BUFFERS = 64
"""Uncompleted command buffers one Metal queue holds before the caller is blocked.

The limit Apple documents for a queue from `makeCommandQueue()`; MLX makes its queue that way since 0.24.0.
"""

CPU_DISPATCHES = 105
"""Outstanding dispatches at which `async_eval` blocks on MLX's CPU backend.

Ten dispatches count as one task and ten tasks may wait (`DISPATCHES_PER_TASK` in MLX's `cpu/encoder.h`,
`MAX_ACTIVE_TASKS` in `transforms.cpp`); measured between 100 and 110 on 0.32.4.
"""


@dataclass(frozen=True, slots=True)
class MemoryReading:
    """MLX's own counters, in bytes.

    `active_bytes` are in live arrays, also those in flight. `peak_bytes` is the highest `active_bytes` since
    `reset_peak()` and never below `active_bytes`. `cache_bytes` are kept for reuse and count in neither.
    """

    active_bytes: int
    peak_bytes: int
    cache_bytes: int


class DeviceFacts(Protocol):
    """What a device says of itself: all that the environment of a run needs of it."""

    @property
    def name(self) -> str:
        """What the user asked for: `gpu` or `cpu`."""

    @property
    def backend(self) -> str:
        """What runs it: `metal`, `cuda` or `cpu`."""

    def facts(self) -> dict[str, Any]:
        """Return what MLX says of itself and the device: plain values that stay the same from run to run."""


class Device(DeviceFacts, Protocol):
    """One device of MLX, as the measuring code sees it. Arrays are opaque here."""

    def queue_depth_messages(self, ops_per_message: int) -> int:
        """Messages that can be outstanding before submitting one more blocks; see `queue_depth_messages`."""

    def synchronize(self) -> None:
        """Wait for everything submitted by this thread, on every stream in use."""

    def evaluate(self, *arrays: Any) -> None:
        """Compute the arrays and wait for them. The arguments must be arrays or trees of arrays."""

    def submit(self, *arrays: Any) -> None:
        """Start computing the arrays without waiting. May block when the device's queue is full."""

    def reset_peak(self) -> None:
        """Begin a new peak: what `memory()` reports as the peak counts from here."""

    def memory(self) -> MemoryReading:
        """Return the memory counters; waits for nothing."""

    def clear_cache(self) -> None:
        """Give the cached buffers back. On the CPU backend this waits for all CPU streams."""

    def pending_ops(self, *arrays: Any) -> int:
        """Count the primitives that are still lazy behind the arrays; 0 when all were submitted."""

    def is_pending(self, array: Any) -> bool:
        """Tell whether the array is still lazy. An array in flight is not."""


def queue_depth_messages(backend: str, ops_per_message: int) -> int:
    """Messages of `ops_per_message` ops that can be outstanding before submitting one more blocks.

    Metal: every submitted message ends in a command buffer of its own, and a queue holds 64 of them. A
    message of more than about 40 kernels takes several, so there the answer is an upper bound. CPU: an op is
    two dispatches (the kernel and the release of its inputs), a submission one more, and about 105 fit. CUDA:
    the driver's limit is not documented and was not measured; Metal's figure is taken.

    Raises ValueError when `ops_per_message` is negative.
    """
    if ops_per_message < 0:
        raise ValueError(f"a message cannot have {ops_per_message} ops")
    if backend == "cpu":
        dispatches = 2 * ops_per_message + 1
        return -(-CPU_DISPATCHES // dispatches)
    return METAL_COMMAND_BUFFERS
