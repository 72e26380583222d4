"""Work that holds the device is sized until it is long enough."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.measure.hold import HOLD_S, LARGEST, SMALLEST, make_hold


def growing(device: Any, seconds_at_smallest: float) -> None:
    """Let every evaluation take eight times as long for a side twice as long, as matrix products do."""
    called = device._called

    def evaluate(*arrays: Any) -> None:
        called("evaluate", *arrays)
        device.clock.advance(seconds_at_smallest * (arrays[0].shape[0] / SMALLEST) ** 3)

    device.evaluate = evaluate


def test_the_hold_is_long_enough(fake_device: Any) -> None:
    """The smallest matrix that takes as long as wanted is chosen, and its time is told."""
    device = fake_device()
    growing(device, 0.001)
    hold = make_hold(device, device.clock)
    assert hold.seconds == pytest.approx(0.512)
    assert hold.seconds / 8 < HOLD_S <= hold.seconds
    assert hold.make().shape == (8 * SMALLEST, 8 * SMALLEST)


def test_a_device_too_fast_to_hold_gets_the_largest(fake_device: Any) -> None:
    """Where even the largest matrix is done at once, the search ends with it."""
    device = fake_device()
    hold = make_hold(device, device.clock)
    assert hold.make().shape == (LARGEST, LARGEST)
    assert hold.seconds == 0.0


def test_the_least_of_the_trials_counts(fake_device: Any) -> None:
    """An interruption during one trial does not make the hold look long enough."""
    device = fake_device()
    growing(device, 0.2)
    durations = iter([0.0, 0.0, 5.0])
    evaluate = device.evaluate

    def interrupted(*arrays: Any) -> None:
        evaluate(*arrays)
        device.clock.advance(next(durations, 0.0))

    device.evaluate = interrupted
    assert make_hold(device, device.clock).seconds == pytest.approx(0.2)


def test_every_hold_is_new_work_of_one_primitive(cpu: Any) -> None:
    """Each call makes a lazy array of its own, which takes one place in the queue."""
    device = type("Quick", (), {"evaluate": staticmethod(lambda *_: None)})()
    times = iter(range(100))
    clock = type("Striding", (), {"now": staticmethod(lambda: float(next(times)))})()
    hold = make_hold(device, clock)
    first, second = hold.make(), hold.make()
    assert first is not second
    matrix_ops = cpu.pending_ops(first)
    cpu.evaluate(first)
    assert cpu.pending_ops(second) == 1
    assert matrix_ops > 1
