"""A place for experiments where nothing but what tests say takes time."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from placement_cli.measure.evaluation.rounds import Site


@pytest.fixture
def make_site(fake_device: Any) -> Callable[..., Site]:
    """Makes a site with a fake device whose calls take the given seconds."""

    def made(budget_s: float = 0.0, tick_s: float = 0.0, **costs_s: float) -> Site:
        device = fake_device(costs_s=costs_s)
        device.clock.tick_s = tick_s
        return Site(device, device.clock, Random(3), budget_s)

    return made
