"""The speed that bounds how long drawn products take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from placement_cli.errors import InvalidMeasurement
from placement_cli.measure.products.case import ProductCase
from placement_cli.measure.products.speed import SAMPLES, SIDE, macs_a_second


class Timer:
    """Says that every product takes so long."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds

    def load(self, case: ProductCase) -> list[float | None]:
        """Return the seconds of the one plan there is."""
        assert case.weights.shape == (SIDE, SIDE)
        return [self.seconds] * len(case.plans)

    def rounds(self, plans: Sequence[int], rounds: int) -> Any:
        """Nothing is timed in rounds here."""
        return np.zeros((rounds, len(plans)))


def test_speed_is_multiply_accumulates_over_seconds() -> None:
    """One product in a millisecond is a thousand of them a second."""
    assert macs_a_second(Timer(1e-3)) == pytest.approx(1e3 * SAMPLES * SIDE**2)


@pytest.mark.parametrize("seconds", [None, 0.0])
def test_a_product_that_takes_no_time_is_no_measurement(seconds: float | None) -> None:
    """Nor is one that cannot be computed."""
    with pytest.raises(InvalidMeasurement, match="could not be timed"):
        macs_a_second(Timer(seconds))
