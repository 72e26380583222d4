"""Where a product will be computed: which backend, how many threads, which element type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from placement_cli.blocks.matrices import is_mlx
from placement_cli.device.threads import numpy_threads
from placement_cli.measure.products.backends import DTYPES


@dataclass(frozen=True, slots=True)
class Setting:
    """A backend of profiles with its BLAS threads and the element type it computes in."""

    backend: str
    threads: int
    dtype: str

    @property
    def on_mlx(self) -> bool:
        """Whether MLX computes."""
        return self.backend != "numpy"


def setting_of(weights: Any, *, dispatched: bool = False) -> Setting:
    """Return where `x @ weights` is computed: on MLX's default device for weights of MLX, or when `dispatched`.

    Types without costs of their own, such as integers, are taken as float32.
    """
    on_mlx = dispatched or is_mlx(weights)
    backend = f"mlx-{mlx_device()}" if on_mlx else "numpy"
    named = str(getattr(weights, "dtype", "")).rpartition(".")[2]
    dtype = named if named in DTYPES[backend] else "float32"
    if on_mlx and not is_mlx(weights):
        dtype = "float32"
    return Setting(backend, 1 if on_mlx else numpy_threads(), dtype)


def mlx_device() -> str:
    """Return `gpu` or `cpu`, MLX's default; `gpu` where MLX is not installed, as plans can be made without it."""
    try:
        import mlx.core as mx
    except ImportError:
        return "gpu"
    return "gpu" if mx.default_device() == mx.Device(mx.gpu) else "cpu"
