"""Timing plans in the process that will use them, in fake time."""

from __future__ import annotations

import gc
from dataclasses import replace
from typing import Any

import mlx.core as mx
import pytest

from placement_cli.blocks.candidates import dense_plan, finest_plan
from placement_cli.blocks.finding import find_structure
from placement_cli.planning import timing
from placement_cli.planning.timing import fastest


class Watch:
    """A clock that goes on by what each look is given to cost."""

    def __init__(self) -> None:
        self.time_s = 0.0

    def now(self) -> float:
        """Return the time."""
        return self.time_s


@pytest.fixture
def plans(banks: Any) -> list[Any]:
    """The dense plan and the loop of four blocks, and that once more with a note."""
    structure = find_structure(banks([4] * 4))
    finest = finest_plan(structure)
    assert finest is not None
    return [dense_plan(structure), finest, replace(finest, notes=("again",))]


@pytest.mark.parametrize("costs", [[3.0, 1.0, 2.0], [1.0, 2.0, 3.0], [2.0, 2.0, 1.0], [1.0, 1.0, 1.0]])
def test_the_fastest_is_kept(plans: Any, banks: Any, costs: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of equal times it is the first."""
    watch, opened = Watch(), timing.open_backend("numpy")

    def take_time(bound: int, x: Any, calls: int) -> None:
        watch.time_s += costs[bound] * calls

    numbers = iter(range(3))
    monkeypatch.setattr(type(plans[0]), "bind", lambda *_: next(numbers))
    monkeypatch.setattr(timing, "open_backend", lambda _: replace(opened, run=take_time))
    found = fastest(plans, banks([4] * 4), 5, "numpy", "float32", watch.now)
    assert found is plans[costs.index(min(costs))]


@pytest.mark.parametrize("was_on", [True, False])
def test_the_collector_is_left_as_it_was(plans: Any, banks: Any, was_on: bool) -> None:
    """Timing real products in a pipeline changes nothing around it."""
    times = iter(range(10_000))
    try:
        gc.enable() if was_on else gc.disable()
        assert fastest(plans, banks([4] * 4), 5, "numpy", "float32", lambda: next(times) * 1e-3) in plans
        assert gc.isenabled() is was_on
    finally:
        gc.enable()


def test_weights_of_mlx_are_timed_on_mlx(plans: Any, banks: Any) -> None:
    """Short floats too."""
    times = iter(range(10_000))
    weights = mx.array(banks([4] * 4)).astype(mx.bfloat16)
    assert fastest(plans, weights, 5, "mlx-cpu", "bfloat16", lambda: next(times) * 1e-3) in plans
