"""Work for the device has the size that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from placement_cli.device.mlx_device import MlxDevice
from placement_cli.measure.evaluation.device_work import (
    LARGEST,
    MOST_FOLDS,
    SMALLEST,
    device_seconds,
    make_product,
    tiny_chain,
)
from placement_cli.measure.evaluation.rounds import Site


def growing(device: Any, seconds_at_smallest: float) -> None:
    """Let evaluating a product take eight times as long for a square twice as large, and in proportion to rows."""

    def evaluate(*arrays: Any) -> None:
        rows, side = arrays[0].shape
        device.clock.advance(seconds_at_smallest * (rows / SMALLEST) * (side / SMALLEST) ** 2)

    device.evaluate = evaluate


@pytest.mark.parametrize("ops", [1, 7])
def test_a_chain_has_the_ops_asked_for(cpu: MlxDevice, ops: int) -> None:
    """Every call makes a graph of its own with just these primitives."""
    make = tiny_chain(ops)
    cpu.evaluate(make())
    assert cpu.pending_ops(make()) == ops


@pytest.mark.parametrize("wanted_s", [1e-5, 1e-3, 3e-3, 0.1])
def test_a_product_takes_as_long_as_wanted(fake_device: Any, wanted_s: float) -> None:
    """Whatever the device needs for a square, rows are added or left out until the time is right."""
    device = fake_device()
    growing(device, 2e-4)
    make = make_product(device, device.clock, wanted_s)
    began = device.clock.time_s
    device.evaluate(make())
    assert device.clock.time_s - began == pytest.approx(wanted_s, rel=0.2)


def test_a_device_too_fast_gets_the_largest(fake_device: Any) -> None:
    """The search ends where nothing takes any time."""
    device = fake_device()
    assert make_product(device, device.clock, 1.0)().shape == (MOST_FOLDS * LARGEST, LARGEST)


def test_a_product_is_one_primitive(cpu: MlxDevice, fake_device: Any) -> None:
    """Nothing but the product itself is left to compute, so that it takes one place in the queue."""
    device = fake_device(costs_s={"evaluate": 1.0})
    device.evaluate = lambda *arrays: (cpu.evaluate(*arrays), device.clock.advance(1.0))
    assert cpu.pending_ops(make_product(device, device.clock, 0.5)()) == 1


def test_device_time_begins_with_the_end_of_the_hold(make_site: Callable[..., Site]) -> None:
    """Everything is submitted behind the hold before the clock starts, and only the last output is waited for."""
    site: Any = make_site(submit=1.0, evaluate=0.25)
    taken_s = device_seconds(site.device, site.clock, lambda: "hold", [("a", "state a"), ("b", "state b")])
    assert taken_s == 0.25
    assert site.device.named("submit") == [("hold",), ("a", "state a"), ("b", "state b")]
    assert site.device.named("evaluate") == [("hold",), ("b", "state b")]
