"""What costs are fitted for: a backend, its BLAS threads and an element type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from placement_cli.errors import UsageError, did_you_mean
from placement_cli.measure.products.backends import BACKENDS, check_dtype

if TYPE_CHECKING:
    from placement_cli.blocks.planner import Backend


@dataclass(frozen=True, slots=True)
class Target:
    """One backend with its threads (1 on MLX, which has no such setting) and element type."""

    backend: str
    threads: int
    dtype: str = "float32"

    @property
    def title(self) -> str:
        """Words for people, such as `NumPy, 2 BLAS threads, float32`."""
        names = {"numpy": "NumPy", "mlx-cpu": "MLX CPU", "mlx-gpu": "MLX GPU"}
        if self.backend != "numpy":
            return f"{names[self.backend]}, {self.dtype}"
        return f"NumPy, {self.threads} BLAS thread{'' if self.threads == 1 else 's'}, {self.dtype}"

    @property
    def library(self) -> Backend:
        """What the planner calls the backend."""
        return "numpy" if self.backend == "numpy" else "mlx"

    @property
    def on_mlx(self) -> bool:
        """Whether evaluation constants belong to it."""
        return self.backend != "numpy"


def targets_of(backends: list[str], dtype: str, threads: list[int], *, has_gpu: bool) -> list[Target]:
    """Return the targets for the backends named, all there are when none is.

    `threads` are those that NumPy is measured with. Raises UsageError for a name that is none, and when nothing is
    left because no backend computes in `dtype`.
    """
    for name in backends:
        if name not in BACKENDS:
            raise UsageError(f"{name!r} is no backend. {did_you_mean(name, BACKENDS)}")
    named = backends or [name for name in BACKENDS if has_gpu or name != "mlx-gpu"]
    found = []
    for name in dict.fromkeys(named):
        if backends or _computes(name, dtype):
            check_dtype(name, dtype)
            counts = sorted(set(threads)) if name == "numpy" else [1]
            found += [Target(name, count, dtype) for count in counts]
    if not found:
        check_dtype("mlx-cpu", dtype)
    return found


def _computes(name: str, dtype: str) -> bool:
    try:
        check_dtype(name, dtype)
    except UsageError:
        return False
    return True
