"""The numbers of one placement."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from placement_cli.advice.numbers import numbers_of
from placement_cli.advice.playing import Outcome
from placement_cli.graph.mode import ASYNC

OUTCOME = Outcome(**{name: np.array([1.0, place + 2.0]) for place, name in enumerate(Outcome.__dataclass_fields__)})


def test_one_row_is_taken_by_name() -> None:
    """With its placement and the bytes that were counted for it."""
    found = numbers_of({"a": ASYNC}, OUTCOME, np.array([7.0, 8.0]), 1)

    assert (found.placement, found.memory_bytes) == ({"a": ASYNC}, 8.0)
    others = {name: place + 2.0 for place, name in enumerate(Outcome.__dataclass_fields__) if name != "in_flight_bytes"}
    assert {name: getattr(found, name) for name in others} == others


def test_what_differs_by_rounding_is_the_same() -> None:
    """Sums in another order are no other numbers."""
    off = Outcome(**{name: getattr(OUTCOME, name) * (1 + 1e-14) for name in Outcome.__dataclass_fields__})

    assert numbers_of({}, off, np.zeros(2), 1) == numbers_of({}, OUTCOME, np.zeros(2), 1)


@pytest.mark.parametrize(("device_s", "period_s", "busy"), [(1.0, 4.0, 0.25), (5.0, 4.0, 1.0), (0.0, 0.0, 0.0)])
def test_the_device_is_busy_for_a_share_of_the_time(device_s: float, period_s: float, busy: float) -> None:
    """Never more than all of it; of no time it is none."""
    found = numbers_of({}, OUTCOME, np.zeros(2), 0)

    assert replace(found, device_s=device_s, period_s=period_s).device_busy == busy
