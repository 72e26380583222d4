import importlib.metadata
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.device import mlx_device
from placement_cli.device.interface import Device
from placement_cli.device.mlx_device import MlxDevice, heavy_work, open_device
from placement_cli.errors import UsageError


@pytest.fixture(scope="module")
def device() -> Iterator[MlxDevice]:
    """The CPU of the installed MLX."""
    before = mx.default_device()
    yield open_device("cpu")
    mx.set_default_device(before)


def fake_core(gpu: str = "", **more: Any) -> SimpleNamespace:
    """An `mlx.core` with a CPU and perhaps a GPU (`metal` or `cuda`)."""
    calls: list[Any] = []
    memory = {
        "get_active_memory": lambda: 40,
        "get_peak_memory": lambda: 0,
        "get_cache_memory": lambda: 5,
        "reset_peak_memory": lambda: calls.append("reset"),
        "clear_cache": lambda: calls.append("clear"),
    }
    core = {
        "__version__": "0.32.4",
        "gpu": "gpu",
        "cpu": "cpu",
        "calls": calls,
        "is_available": lambda kind: kind == "cpu" or bool(gpu),
        "set_default_device": lambda kind: calls.append(("default", kind)),
        "default_stream": lambda kind: f"stream of {kind}",
        "synchronize": lambda stream: calls.append(("synchronize", stream)),
        "device_info": lambda kind: {"device_name": kind, "free_memory": 1, "uuid": "x", "pci_bus_id": "y"},
        "eval": lambda *arrays: None,
        "async_eval": lambda *arrays: None,
        "metal": SimpleNamespace(is_available=lambda: gpu == "metal"),
    }
    return SimpleNamespace(**(core | memory | more))


def opened(name: str | None, core: Any) -> MlxDevice:
    """Open a device of a fake MLX."""
    return open_device(name, lambda module: core, lambda: None)


def test_it_fits_the_interface(device: MlxDevice) -> None:
    """The real device is what the measuring code asks for."""
    seen: Device = device
    assert (seen.name, seen.backend) == ("cpu", "cpu")


def test_lazy_work_is_counted_until_it_is_submitted(device: MlxDevice) -> None:
    """Ops are pending when built, and none are once submitted, also while they run."""
    array = mx.array([1.0, 4.0])
    root = mx.sqrt(mx.abs(array))
    assert device.pending_ops(root) == 2
    assert device.is_pending(root)
    device.submit(root)
    assert device.pending_ops(root) == 0
    assert not device.is_pending(root)
    device.synchronize()
    assert root.tolist() == [1.0, 2.0]


def test_shared_work_is_counted_once(device: MlxDevice) -> None:
    """Two arrays that hang on the same op have it in common."""
    shared = mx.abs(mx.array([1.0]))
    assert device.pending_ops(mx.sqrt(shared), mx.exp(shared)) == 3
    assert device.pending_ops() == 0


@given(st.integers(1, 60))
@settings(deadline=None, max_examples=20)
def test_a_chain_has_as_many_pending_ops_as_links(length: int) -> None:
    """The count grows with the graph, one for each primitive, and evaluating ends it."""
    device = open_device("cpu")
    array = mx.array([1.0])
    for _ in range(length):
        array = mx.abs(array)
    assert device.pending_ops(array) == length
    device.evaluate(array)
    assert device.pending_ops(array) == 0


def test_the_peak_is_never_below_what_is_active(device: MlxDevice) -> None:
    """MLX sets its peak to 0 on a reset; what lives then still counts."""
    array = mx.zeros((1024, 256))
    device.evaluate(array)
    device.reset_peak()
    after_reset = device.memory()
    assert after_reset.peak_bytes >= after_reset.active_bytes >= array.nbytes
    device.evaluate(mx.zeros((2048, 256)) + 1)
    assert device.memory().peak_bytes >= array.nbytes + 2048 * 256 * 4


def test_the_cache_can_be_given_back(device: MlxDevice) -> None:
    """After clearing no buffer is kept for reuse."""
    device.evaluate(mx.zeros((512, 512)) + 1)
    device.clear_cache()
    assert device.memory().cache_bytes == 0


def test_facts_are_the_same_every_time(device: MlxDevice) -> None:
    """What the device tells of itself does not move when work is done."""
    before = device.facts()
    device.evaluate(mx.ones((64, 64)) * 2)
    assert device.facts() == before
    assert before["mlx"] == importlib.metadata.version("mlx")
    assert before["memory_limit_bytes"] > 0


def test_heavy_work_is_lazy_fresh_and_known(device: MlxDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call makes a new pending array of one element, whose value is 1."""
    monkeypatch.setattr(mlx_device, "HEAVY_SIZES", (8, 16))
    make = heavy_work(device)
    first, second = make(), make()
    assert device.is_pending(first)
    assert float(first) == pytest.approx(1.0)
    assert device.is_pending(second)


class StepClock:
    """A clock on which everything takes the same time."""

    def __init__(self, step_s: float) -> None:
        self.step_s = step_s
        self.time_s = 0.0

    def now(self) -> float:
        """One step later than before."""
        self.time_s += self.step_s
        return self.time_s

    def sleep(self, seconds: float) -> None:
        """Never called."""
        raise AssertionError("sizing must not wait")


@pytest.mark.parametrize(("step_s", "sizes"), [(0.005, 1), (0.001, 2)])
def test_larger_matrices_are_tried_only_when_small_ones_make_long_chains(
    device: MlxDevice, monkeypatch: pytest.MonkeyPatch, step_s: float, sizes: int
) -> None:
    """Sizing stops at the first size of which a few products are enough, and reads the clock twice a size."""
    monkeypatch.setattr(mlx_device, "HEAVY_SIZES", (8, 16))
    clock = StepClock(step_s)
    heavy_work(device, clock)
    assert clock.time_s == pytest.approx(2 * sizes * step_s)


@pytest.mark.parametrize(("step_s", "links"), [(1.0, 1), (0.015, 1), (0.005, 3), (0.001, 15), (1e-7, 32)])
def test_heavy_work_is_sized_by_what_one_product_takes(
    device: MlxDevice, monkeypatch: pytest.MonkeyPatch, step_s: float, links: int
) -> None:
    """The chain has the number of products that makes 15 ms, within what a queue takes without blocking."""
    monkeypatch.setattr(mlx_device, "HEAVY_SIZES", (8, 16))
    one = device.pending_ops(heavy_work(device, StepClock(1.0))())
    assert device.pending_ops(heavy_work(device, StepClock(step_s))()) == one + links - 1


def test_a_gpu_is_taken_when_nothing_is_asked_for() -> None:
    """Without a name the GPU is opened, and it becomes MLX's default device."""
    core = fake_core("metal")
    assert opened(None, core).backend == "metal"
    assert core.calls == [("default", "gpu")]


@pytest.mark.parametrize(
    ("gpu", "name", "backend"),
    [("metal", "gpu", "metal"), ("cuda", "gpu", "cuda"), ("metal", "cpu", "cpu"), ("", None, "cpu")],
)
def test_the_backend_is_what_runs_the_device(gpu: str, name: str | None, backend: str) -> None:
    """The same build runs its CPU by another backend than its GPU."""
    assert opened(name, fake_core(gpu)).backend == backend


def test_the_fence_covers_every_device_of_the_build() -> None:
    """Work that ends up on the CPU of a GPU build is waited for too."""
    core = fake_core("metal")
    opened("gpu", core).synchronize()
    assert core.calls[1:] == [("synchronize", "stream of gpu"), ("synchronize", "stream of cpu")]


def test_depth_is_that_of_the_backend() -> None:
    """The GPU holds 64 messages, the CPU as many as its dispatches allow."""
    assert opened("gpu", fake_core("cuda")).queue_depth_messages(3) == 64
    assert opened("cpu", fake_core()).queue_depth_messages(3) == 15


def test_memory_functions_are_found_where_older_versions_had_them() -> None:
    """Before MLX 0.24.1 the counters were in `mlx.core.metal` alone."""
    core = fake_core("metal")
    for name in ("get_active_memory", "get_peak_memory", "get_cache_memory", "reset_peak_memory", "clear_cache"):
        setattr(core.metal, name, getattr(core, name))
        delattr(core, name)
    old = opened("gpu", core)
    old.reset_peak()
    old.clear_cache()
    reading = old.memory()
    assert (reading.active_bytes, reading.peak_bytes, reading.cache_bytes) == (40, 40, 5)
    assert core.calls[1:] == ["reset", "clear"]


def test_facts_leave_out_what_moves_and_what_names_one_card() -> None:
    """Free memory, the card's id and its slot are no facts of a set-up; an unknown limit is None."""
    facts = opened("gpu", fake_core("cuda")).facts()
    assert facts == {"mlx": "0.32.4", "device_info": {"device_name": "gpu"}, "memory_limit_bytes": None}


def test_a_gpu_that_is_not_there_is_refused() -> None:
    """The sentence says what is missing, what can be used and how to get the other."""
    with pytest.raises(UsageError, match=r"MLX 0\.32\.4 has no GPU here\. Use `--device cpu`, or install"):
        opened("gpu", fake_core())


def test_a_device_of_another_name_is_refused() -> None:
    """A slip gets the nearest name, before MLX is even imported."""
    with pytest.raises(UsageError, match=r"no device 'gpus'\. Did you mean 'gpu'"):
        open_device("gpus", _must_not_import)


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("No module named 'mlx'"),
        ImportError("libmlx.so: cannot open shared object file\nmore"),
        OSError("dlopen failed"),
        RuntimeError("[metal] no device"),
    ],
)
def test_an_mlx_that_cannot_be_imported_is_refused_with_the_reason(error: Exception) -> None:
    """The builds' own diagnosis is given where there is one, else the first line of the error."""
    with pytest.raises(UsageError, match=r"MLX cannot be used\. Two backends"):
        open_device("cpu", _fail_with(error), lambda: "Two backends are installed.")
    with pytest.raises(UsageError, match=r"It is installed, but .*pip install") as caught:
        open_device("cpu", _fail_with(error), lambda: None)
    assert "more" not in str(caught.value)
    assert str(error).splitlines()[0] in str(caught.value)


def test_an_error_without_words_is_named_by_its_kind() -> None:
    """Not even an empty message leaves the person without a reason."""
    with pytest.raises(UsageError, match="but ImportError"):
        open_device("cpu", _fail_with(ImportError()), lambda: None)


def _must_not_import(module: str) -> Any:
    raise AssertionError(f"{module} was imported")


def _fail_with(error: Exception) -> Callable[[str], Any]:
    def load(module: str) -> Any:
        raise error

    return load
