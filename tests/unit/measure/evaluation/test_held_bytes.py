"""What a message keeps in flight is read off the counters of MLX."""

from __future__ import annotations

from random import Random

import pytest

from placement_cli.device.clock import Clock
from placement_cli.device.mlx_device import MlxDevice
from placement_cli.measure.evaluation.held_bytes import HELD, measure_held
from placement_cli.measure.evaluation.observation import Observation
from placement_cli.measure.evaluation.rounds import Site
from placement_cli.operators.catalog import OPERATORS


@pytest.fixture(scope="module")
def found() -> list[Observation]:
    """What the CPU build keeps, for every operator."""
    from placement_cli.device.clock import SystemClock
    from placement_cli.device.mlx_device import open_device

    device: MlxDevice = open_device("cpu")
    clock: Clock = SystemClock()
    return measure_held(Site(device, clock, Random(0), 1.0))


def test_every_operator_of_the_device_is_measured(found: list[Observation]) -> None:
    """One value each, in bytes."""
    names = {str(each.case["operator"]) for each in found}
    assert names == {name for name, operator in OPERATORS.items() if operator.backend == "mlx"}
    assert all(each.unit == "B" and len(each.values) == 1 and each.case["reading"] == HELD for each in found)


def test_an_elementwise_operator_keeps_its_output_alone(found: list[Observation]) -> None:
    """`abs` makes one array; its size may be rounded up."""
    for each in found:
        if each.case["operator"] == "abs":
            size = 4 * float(each.case["samples"]) * float(each.case["channels"])
            assert size <= each.values[0] <= 1.1 * size


def test_a_view_keeps_nothing(found: list[Observation]) -> None:
    """`downsample` looks at the message that is there."""
    assert {each.values[0] for each in found if each.case["operator"] == "downsample"} == {0.0}
