"""The real device: MLX, imported only here and only when a device is opened."""

from __future__ import annotations

import io
from collections.abc import Callable
from importlib import import_module
from typing import Any

from placement_cli.device.builds import HOW_TO_INSTALL, mlx_problem
from placement_cli.device.clock import Clock, SystemClock
from placement_cli.device.interface import MemoryReading, queue_depth_messages
from placement_cli.errors import UsageError, did_you_mean

DEVICE_NAMES = ("gpu", "cpu")

PRIMITIVE_MARK = "shape=rectangle"
"""How MLX marks a primitive in the graphs it exports; arrays are drawn without a shape."""

PASSING_FACTS = ("free_memory", "uuid", "pci_bus_id")
"""What MLX's CUDA backend tells of a device that changes, or names one card of many equal ones."""

HEAVY_TARGET_S = 0.015
"""How long heavy work should take: a thousand times a submission, and still no wait for a person."""

HEAVY_SIZES = (128, 256, 512, 1024, 2048, 4096)
"""Rows of the square matrices that are tried, from what a slow CPU needs to what a server's GPU does."""

HEAVY_LINKS_WANTED = 8
"""Larger matrices are tried until this many products in a chain are enough."""

HEAVY_LINKS_AT_MOST = 32
"""Products in one chain: fewer than fill a command buffer (40) or block the CPU backend (about 50)."""


class MlxDevice:
    """A device of MLX, made the process-wide default. Use `open_device` to get one.

    Streams belong to the thread that uses them: `synchronize` waits for the default streams of the calling
    thread, on every device of the machine.
    """

    def __init__(self, core: Any, name: str) -> None:
        self.core = core
        self.name = name
        self.backend = _backend(core, name)
        core.set_default_device(getattr(core, name))
        # Bound as they are: these two are called inside the timed loop, where a method of ours would be a cost.
        self.evaluate: Callable[..., None] = core.eval
        self.submit: Callable[..., None] = core.async_eval
        self._devices = [getattr(core, kind) for kind in _available(core)]
        self._active = _memory_call(core, "get_active_memory")
        self._peak = _memory_call(core, "get_peak_memory")
        self._cache = _memory_call(core, "get_cache_memory")
        self._reset_peak = _memory_call(core, "reset_peak_memory")
        self._clear_cache = _memory_call(core, "clear_cache")

    def queue_depth_messages(self, ops_per_message: int) -> int:
        """Messages that can be outstanding before submitting one more blocks."""
        return queue_depth_messages(self.backend, ops_per_message)

    def synchronize(self) -> None:
        """Wait for everything submitted by this thread to the default streams of all devices."""
        for device in self._devices:
            self.core.synchronize(self.core.default_stream(device))

    def reset_peak(self) -> None:
        """Begin a new peak."""
        self._reset_peak()

    def memory(self) -> MemoryReading:
        """Return the counters. MLX resets its peak to 0, not to what is active; here it is at least that."""
        active = self._active()
        return MemoryReading(active, max(self._peak(), active), self._cache())

    def clear_cache(self) -> None:
        """Give the cached buffers back."""
        self._clear_cache()

    def pending_ops(self, *arrays: Any) -> int:
        """Count the lazy primitives behind the arrays, about 2 us each; each is counted once."""
        graph = io.StringIO()
        self.core.export_to_dot(graph, *arrays)
        return graph.getvalue().count(PRIMITIVE_MARK)

    def is_pending(self, array: Any) -> bool:
        """Tell whether the array is still lazy."""
        return self.pending_ops(array) > 0

    def facts(self) -> dict[str, Any]:
        """Return `mlx` (its version), `device_info` and `memory_limit_bytes`; None where it does not tell."""
        info = self.core.device_info(getattr(self.core, self.name))
        limit = getattr(self.core, "get_memory_limit", None)
        return {
            "mlx": self.core.__version__,
            "device_info": {key: value for key, value in info.items() if key not in PASSING_FACTS},
            "memory_limit_bytes": limit() if limit else None,
        }


def open_device(
    name: str | None = None,
    load: Callable[[str], Any] = import_module,
    find_problem: Callable[[], str | None] = mlx_problem,
) -> MlxDevice:
    """Open `gpu` or `cpu`, or without a name the GPU when MLX has one and else the CPU.

    Raises UsageError when there is no such device, when MLX is not installed or when it cannot be imported.
    `load` and `find_problem` are replaced in tests.
    """
    if name is not None and name not in DEVICE_NAMES:
        raise UsageError(f"There is no device {name!r}. {did_you_mean(name, DEVICE_NAMES)}")
    core = _import_mlx(load, find_problem)
    available = _available(core)
    if name is not None and name not in available:
        raise UsageError(
            f"MLX {core.__version__} has no {name.upper()} here. Use `--device {available[-1]}`, or install a"
            f" build of MLX that has one. {HOW_TO_INSTALL}"
        )
    return MlxDevice(core, name or available[0])


def heavy_work(device: MlxDevice, clock: Clock | None = None) -> Callable[[], Any]:
    """Return a maker of lazy arrays of one element behind 10 to 20 ms of matrix products; the value is 1.

    Sizing it evaluates a few products of growing size, twice each: the first may load a kernel.
    """
    now = (clock or SystemClock()).now
    size, links = HEAVY_SIZES[0], 1
    for size in HEAVY_SIZES:
        make = _chain(device, size, 1)
        device.evaluate(make())
        start = now()
        device.evaluate(make())
        elapsed_s = max(now() - start, HEAVY_TARGET_S / HEAVY_LINKS_AT_MOST)
        links = max(round(HEAVY_TARGET_S / elapsed_s), 1)
        if links <= HEAVY_LINKS_WANTED:
            break
    return _chain(device, size, links)


def _chain(device: MlxDevice, size: int, links: int) -> Callable[[], Any]:
    core = device.core
    ones, averaging = core.ones((size, size)), core.full((size, size), 1.0 / size)
    device.evaluate(ones, averaging)

    def make() -> Any:
        product = ones
        for _ in range(links):
            product = product @ averaging
        return product.mean()

    return make


def _import_mlx(load: Callable[[str], Any], find_problem: Callable[[], str | None]) -> Any:
    try:
        return load("mlx.core")
    except (ImportError, OSError, RuntimeError) as error:
        why = find_problem() or f"It is installed, but {_first_line(error)}. {HOW_TO_INSTALL}"
        raise UsageError(f"MLX cannot be used. {why}") from error


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0].rstrip(".") if text else type(error).__name__


def _available(core: Any) -> list[str]:
    return [name for name in DEVICE_NAMES if core.is_available(getattr(core, name))]


def _backend(core: Any, name: str) -> str:
    if name == "cpu":
        return "cpu"
    return "metal" if core.metal.is_available() else "cuda"


def _memory_call(core: Any, name: str) -> Callable[[], int]:
    """Find a memory function: at the top since MLX 0.24.1, in `mlx.core.metal` before."""
    call: Callable[[], int] = getattr(core, name, None) or getattr(core.metal, name)
    return call


def has_gpu(load: Callable[[str], Any] = import_module) -> bool:
    """Tell whether MLX is here with a GPU it can use; `load` is replaced in tests."""
    try:
        return "gpu" in _available(load("mlx.core"))
    except (ImportError, OSError, RuntimeError):
        return False
