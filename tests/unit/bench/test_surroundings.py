"""The real surroundings: what a worker says of its device, and errors it meets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from placement_cli.bench import surroundings
from placement_cli.bench.surroundings import error_of, probe, real_surroundings
from placement_cli.bench.watch import Nobody
from placement_cli.errors import InternalError, InvalidMeasurement, PlacementError, UsageError
from placement_cli.measure.spawn import CommandFailedError, WorkerLostError


class Worker:
    """A worker that answers `hello` and `probe`."""

    def __init__(self, fence: dict[str, Any] | None = None, error: Exception | None = None) -> None:
        self.fence = fence or {"ok": True, "ratio": 50.0, "problem": ""}
        self.error, self.closed = error, False

    def ask(self, do: str, **_: Any) -> dict[str, Any]:
        """Answer."""
        if self.error:
            raise self.error
        if do == "hello":
            return {"pid": 1, "device": "cpu", "backend": "cpu", "timer_s": 1e-7, "empty_s": 1e-6}
        return {"facts": {"mlx": "0.99", "device_info": {"name": "x"}}, "fence": self.fence}

    def close(self) -> None:
        """End."""
        self.closed = True


def test_a_probe_tells_device_and_harness() -> None:
    """Facts of the device, the timer, what an empty sample costs, and that the fence waits."""
    worker = Worker()
    device, harness = probe(lambda: worker)
    assert (device.name, device.backend, device.facts()) == (
        "cpu",
        "cpu",
        {"mlx": "0.99", "device_info": {"name": "x"}},
    )
    assert harness == {
        "protocol": 1,
        "timer": "time.perf_counter",
        "resolution_s": 1e-7,
        "empty_sample_s": 1e-6,
        "fence_selftest": {"ok": True, "ratio": 50.0},
    }
    assert worker.closed


def test_a_fence_that_does_not_wait_is_invalid() -> None:
    """When the fence returns at once nothing is reported, and the code is 5."""
    worker = Worker(fence={"ok": False, "ratio": 1.0, "problem": "The fence does not wait."})
    with pytest.raises(InvalidMeasurement, match=r"The fence does not wait\. Nothing is reported\.") as raised:
        probe(lambda: worker)
    assert raised.value.exit_code == 5
    assert worker.closed


def test_the_error_of_a_worker_is_raised_here() -> None:
    """No MLX is told as the worker told it, with its exit code."""
    worker = Worker(error=CommandFailedError("MLX is not installed.", 2))
    with pytest.raises(UsageError, match=r"MLX is not installed\."):
        probe(lambda: worker)
    assert worker.closed


def test_a_worker_that_does_not_start_is_invalid() -> None:
    """Without a worker nothing can be measured; there is no traceback."""
    with pytest.raises(InvalidMeasurement, match="no worker process could be started"):
        probe(lambda: Worker(error=WorkerLostError("a worker process ended before it was asked")))


@pytest.mark.parametrize("kind", PlacementError.__subclasses__())
def test_codes_name_their_errors(kind: type[PlacementError]) -> None:
    """Every documented code comes back as the error it belongs to."""
    assert type(error_of(CommandFailedError("x", kind.exit_code))) is kind


@pytest.mark.parametrize("code", [None, 70, 99])
def test_other_faults_are_internal(code: int | None) -> None:
    """A fault without a documented code ends with 70."""
    assert error_of(CommandFailedError("TypeError: x", code)).exit_code == InternalError.exit_code


@pytest.fixture
def with_worker(monkeypatch: pytest.MonkeyPatch) -> Callable[[Worker], list[str | None]]:
    """Lets `real_surroundings` start this worker; returns the devices it was asked for."""

    def use(worker: Worker) -> list[str | None]:
        devices: list[str | None] = []

        def spawn(device: str | None = None) -> Worker:
            devices.append(device)
            return worker

        monkeypatch.setattr(surroundings, "spawn_process", spawn)
        return devices

    return use


def test_surroundings_are_those_of_this_machine(with_worker: Callable[[Worker], list[str | None]]) -> None:
    """Set-up, state, clock, seed and whoever watches are there; the set-up names what the worker said."""
    devices = with_worker(Worker())
    watcher = Nobody()
    around = real_surroundings("cpu", 7, watcher, lambda: True)
    assert around.stable["mlx"] == "0.99"
    assert around.stable["backend"] == "cpu"
    assert around.bench.seed == 7
    assert around.bench.spawn is not None
    assert "thermal" in around.bench.read_state()
    assert around.now() <= around.now()
    assert around.watcher is watcher
    assert around.interrupted()
    assert around.tool.name == "placement"
    assert devices == ["cpu"]


def test_the_set_up_has_the_threads_of_the_workers(with_worker: Callable[[Worker], list[str | None]]) -> None:
    """Workers multiply with one thread, so that is what the document says, whatever this process uses."""
    with_worker(Worker())
    around = real_surroundings(None, 0, Nobody(), lambda: False)
    assert {library["threads"] for library in around.stable["blas"]} <= {1}


def test_builds_that_clash_are_told(
    with_worker: Callable[[Worker], list[str | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A problem of the installed MLX stands in the document as a warning."""
    with_worker(Worker())
    monkeypatch.setattr(surroundings, "mlx_problem", lambda: "two builds")
    (found,) = real_surroundings(None, 0, Nobody(), lambda: False).diagnostics
    assert (found.level, found.code, found.text) == ("warning", "mlx-builds", "two builds")
    monkeypatch.setattr(surroundings, "mlx_problem", lambda: None)
    assert real_surroundings(None, 0, Nobody(), lambda: False).diagnostics == []
