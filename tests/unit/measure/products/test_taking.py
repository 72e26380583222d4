"""Taking rounds from a worker: a real one of each kind, and fakes for what goes wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from placement_cli.errors import InvalidMeasurement, ScenarioFailed, UsageError
from placement_cli.measure import spawn
from placement_cli.measure.products.case import ProductCase
from placement_cli.measure.products.setup import profile_key
from placement_cli.measure.products.taking import KEPT_MEMORY, ProductBench, opened, product_worker
from placement_cli.measure.spawn import CommandFailedError, WorkerLostError


class FakeWorker:
    """A worker that answers `rounds` with the number of each plan, or raises what it is told to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.asked: list[dict[str, Any]] = []
        self.closed = False

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Answer."""
        if self.error:
            raise self.error
        self.asked.append({"do": do, **arguments})
        return {"seconds": [[1.0, 2.0, 3.0] for _ in arguments["orders"]]}

    def close(self) -> None:
        """End."""
        self.closed = True


def bench_of(worker: Any, scratch: Path) -> ProductBench:
    """Return a bench with this worker."""
    return ProductBench(worker, scratch, np.random.default_rng(0))


@pytest.mark.parametrize("backend", ["numpy", "mlx-cpu"])
def test_a_real_worker_times_a_product(backend: str, weights: Any, plans: Any, tmp_path: Path) -> None:
    """It says the key of its set-up, takes a case, and gives seconds for every round of the plans asked for."""
    with opened(product_worker(backend, 1, "float32")) as worker:
        bench = bench_of(worker, tmp_path)
        here = profile_key(backend, 1)
        key = bench.key(backend, "float32")
        assert (key.machine, key.backend, key.threads, key.dtype) == (here.machine, backend, 1, "float32")
        assert key.versions == here.versions
        assert all(bench.load(ProductCase(weights, plans, 5)))
        rounds = bench.rounds([1], 3)
        assert rounds.shape == (3, 1)
        assert (rounds > 0).all()


def test_a_real_worker_refuses_a_type_it_does_not_time(tmp_path: Path) -> None:
    """Whoever asks it for anything is told, as the usage error that it is."""
    with opened(product_worker("numpy", 1, "bfloat16")) as worker, pytest.raises(UsageError, match="not timed on"):
        bench_of(worker, tmp_path).key("numpy", "bfloat16")


def test_a_worker_gets_its_threads_and_keeps_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module is told what to time, and its environment how many threads, and to keep freed memory."""
    started: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(spawn, "_Process", lambda command, environment: started.append((command, environment)))
    product_worker("numpy", 3, "float64")()
    ((command, environment),) = started
    assert command[-3:] == ["numpy", "3", "float64"]
    assert environment["OMP_NUM_THREADS"] == "3"
    assert environment.items() >= KEPT_MEMORY.items()


def test_every_round_has_each_plan_once_in_random_order(tmp_path: Path) -> None:
    """Columns come back in the order asked for, whatever the order of the rounds was."""
    worker = FakeWorker()
    table = bench_of(worker, tmp_path).rounds([2, 0], 20)
    assert table.tolist() == [[3.0, 1.0]] * 20
    orders = worker.asked[0]["orders"]
    assert {tuple(sorted(order)) for order in orders} == {(0, 2)}
    assert len({tuple(order) for order in orders}) == 2


def test_errors_of_a_worker_are_those_of_the_documented_classes(tmp_path: Path) -> None:
    """A product that differs is a failed scenario, a worker that is lost no measurement."""
    for raised, told in (
        (CommandFailedError("loop differs", ScenarioFailed.exit_code), ScenarioFailed),
        (WorkerLostError("a worker process ended"), InvalidMeasurement),
    ):
        with pytest.raises(told, match=str(raised)):
            bench_of(FakeWorker(raised), tmp_path).rounds([0], 1)


def test_a_worker_ends_with_its_context() -> None:
    """Also when something goes wrong inside."""
    worker = FakeWorker()
    with pytest.raises(ZeroDivisionError), opened(lambda: worker):
        raise ZeroDivisionError
    assert worker.closed
