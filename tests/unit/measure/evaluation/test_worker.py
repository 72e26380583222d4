"""The worker of experiments answers what it is asked, in this process and in one of its own."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import pytest

from placement_cli.device.mlx_device import MlxDevice
from placement_cli.errors import UsageError
from placement_cli.measure.evaluation.observation import Observation
from placement_cli.measure.evaluation.spawn import spawn_evaluation
from placement_cli.measure.evaluation.worker import Session


def test_hello_tells_device_facts_and_fence(cpu: MlxDevice, fake_clock: Any) -> None:
    """Work that is done at once shows no waiting fence, and the reply says so in words."""
    hello = Session(cpu, fake_clock(tick_s=1e-6), lambda: lambda: mx.ones((1,))).answer({"do": "hello"})
    assert (hello["device"], hello["backend"], hello["facts"]) == ("cpu", "cpu", cpu.facts())
    assert not hello["fence"]["ok"]
    assert hello["fence"]["problem"]


def test_an_experiment_comes_back_as_json(fake_device: Any) -> None:
    """The reply holds the observations, equal ones for equal seeds, and the device is left tidy."""
    device = fake_device(costs_s={"submit": 1e-5, "evaluate": 1e-3})
    session = Session(device, device.clock, lambda: lambda: None)
    command = {"do": "experiment", "name": "submit", "seed": 1}
    first, second = session.answer(command), session.answer(command)
    assert first["observations"]
    assert [Observation.from_json(row).case for row in first["observations"]] == [
        Observation.from_json(row).case for row in second["observations"]
    ]
    assert device.calls[-1] == ("clear_cache", ())


def test_an_unknown_experiment_is_a_usage_error(fake_device: Any) -> None:
    """It is told with the exit code for people's mistakes."""
    device = fake_device()
    with pytest.raises(UsageError, match="nonsense"):
        Session(device, device.clock, lambda: lambda: None).answer({"do": "experiment", "name": "nonsense", "seed": 1})


def test_a_process_of_its_own_measures_the_cpu() -> None:
    """The real worker starts, shows that its fence waits, and measures building and submitting in almost no time."""
    worker = spawn_evaluation("cpu")
    try:
        hello = worker.ask("hello")
        rows = [
            row
            for name in ("build", "submit", "wake")
            for row in worker.ask("experiment", name=name, seed=1, budget_s=0.01)["observations"]
        ]
    finally:
        worker.close()
    assert hello["backend"] == "cpu"
    assert hello["facts"]["mlx"]
    assert all(value > 0 for row in rows for value in Observation.from_json(row).values)
    assert {row["experiment"] for row in rows} == {"build", "submit", "wake"}
