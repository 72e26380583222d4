"""The backends that products are timed on, and how each starts calls and waits for them.

A stream hands over one chunk after another. NumPy's call is over when it returns. On MLX every product is
submitted and the one `RUN_AHEAD` chunks back is waited for, so that building overlaps with computing as it does
in a pipeline, and memory in flight stays bounded.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

from placement_cli.errors import UsageError, did_you_mean

BACKENDS = ("numpy", "mlx-cpu", "mlx-gpu")
"""Names as profiles carry them."""

DTYPES = {
    "numpy": ("float32", "float64"),
    "mlx-cpu": ("float32", "float16", "bfloat16", "float64"),
    "mlx-gpu": ("float32", "float16", "bfloat16"),
}
"""Element types that products are timed in: NumPy has no fast product of shorter floats, a GPU of MLX no doubles."""

RUN_AHEAD = 8
"""Chunks that may be in flight on MLX: far below what a queue holds, and enough to hide the building of each."""

KEPT = 2
"""Results that are still there while the next product is computed, as where a later stage holds on to some.

Together with two chunks in turn they give a sample several distances between the addresses of x and y. On products
of odd widths that distance alone makes the same call 1 or 1.9 times as long.
"""

Bound = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class ProductBackend:
    """How one backend takes arrays, computes, and hands them back.

    `library` is what `BlockPlan.bind` calls it; `array(values, dtype)` makes an array of the backend;
    `run(bound, chunks, calls)` computes so many products, of the chunks in turn, and returns when all are done.
    """

    name: str
    library: str
    array: Callable[[Any, str], Any]
    to_numpy: Callable[[Any], Any]
    run: Callable[[Bound, Sequence[Any], int], None]


def open_backend(name: str) -> ProductBackend:
    """Return the backend `name`; raises UsageError when there is none, or when MLX has no such device here."""
    if name not in BACKENDS:
        raise UsageError(f"{name!r} is no backend. {did_you_mean(name, BACKENDS)}")
    return _numpy() if name == "numpy" else _mlx(name)


def _numpy() -> ProductBackend:
    import numpy as np

    return ProductBackend("numpy", "numpy", np.asarray, np.asarray, run_waiting)


def check_dtype(backend: str, dtype: str) -> None:
    """Raise UsageError when products of `dtype` are not timed on `backend`."""
    if dtype not in DTYPES[backend]:
        raise UsageError(f"{dtype!r} products are not timed on {backend}. {did_you_mean(dtype, DTYPES[backend])}")


def _mlx(name: str) -> ProductBackend:
    import numpy as np

    from placement_cli.device.mlx_device import has_gpu, open_device

    if name == "mlx-gpu" and not has_gpu():
        raise UsageError("mlx-gpu: MLX has no GPU here. Use mlx-cpu, or install a build of MLX that has one.")
    device = open_device(name.removeprefix("mlx-"))
    core = device.core

    def array(values: Any, dtype: str) -> Any:
        made = core.array(values, getattr(core, dtype))
        device.evaluate(made)
        return made

    def to_numpy(values: Any) -> Any:
        wide = values.astype(core.float32) if values.dtype == core.bfloat16 else values
        device.evaluate(wide)
        return np.asarray(wide)

    def run(bound: Bound, chunks: Sequence[Any], calls: int) -> None:
        run_submitting(bound, chunks, calls, device.submit, device.evaluate)

    return ProductBackend(name, "mlx", array, to_numpy, run)


def run_waiting(bound: Bound, chunks: Sequence[Any], calls: int) -> None:
    """Compute so many products; each call is over when it returns, and the last `KEPT` results are still there."""
    kept: deque[Any] = deque(maxlen=KEPT)
    for x in islice(cycle(chunks), calls):
        kept.append(bound(x))


def run_submitting(
    bound: Bound, chunks: Sequence[Any], calls: int, submit: Callable[[Any], None], wait: Callable[[Any], None]
) -> None:
    """Submit so many products, at most `RUN_AHEAD` ahead of the one waited for, and wait for the last."""
    ahead: deque[Any] = deque()
    for x in islice(cycle(chunks), calls):
        y = bound(x)
        submit(y)
        ahead.append(y)
        if len(ahead) > RUN_AHEAD:
            wait(ahead.popleft())
    for y in ahead:
        wait(y)
