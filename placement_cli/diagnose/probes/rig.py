"""What a probe works with: MLX, a clock, and work that takes long enough to tell waiting from not waiting."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from placement_cli.device.mlx_device import PRIMITIVE_MARK

TELLING = 0.2
"""A call waited when it took at least this share of the work, and did not when it took less than half of that."""


@dataclass(frozen=True, slots=True)
class Rig:
    """MLX's core module `mx`, the `backend` in use (`metal`, `cuda`, `cpu`), and a clock `now` in seconds.

    `work()` returns a lazy array of one element, value 1, behind a chain of matrix products that takes about `work_s`
    when nothing else runs; `links` is how many operations that is. Everything it needs is evaluated.
    """

    mx: Any
    backend: str
    now: Callable[[], float]
    work: Callable[[], Any]
    work_s: float
    links: int

    def timed(self, call: Callable[[], Any]) -> float:
        """Return how many seconds `call` takes."""
        start = self.now()
        call()
        return self.now() - start

    def quiet(self) -> None:
        """Wait for this thread's default stream, so that what was begun before is not charged to what follows."""
        self.mx.synchronize()

    def pending_ops(self, *arrays: Any) -> int:
        """Count the primitives that are still lazy behind the arrays."""
        graph = io.StringIO()
        self.mx.export_to_dot(graph, *arrays)
        return graph.getvalue().count(PRIMITIVE_MARK)

    def waited(self, took_s: float) -> bool:
        """Tell whether a call that took so long waited for one piece of work."""
        return took_s >= TELLING * self.work_s
