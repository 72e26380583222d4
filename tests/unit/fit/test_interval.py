"""From refits to an interval."""

from __future__ import annotations

import numpy as np
import pytest

from placement_cli.fit.interval import Origin, constant_of
from placement_cli.fit.robust import RobustFit, Vector

ORIGIN = Origin("s", "fitted to 9 configurations", "3 times call")


def fit(looseness: float) -> RobustFit:
    """A fit of one price, 2, with a standard deviation of 1 in its logarithm."""
    return RobustFit(np.array([2.0]), np.array([1.0]), np.array([looseness]), 0.0)


def test_tight_refits_are_an_interval() -> None:
    """A price that the data determined has the 5 and 95 % refits as its ends."""
    constant = constant_of(fit(0.1), 0, 2.0, np.linspace(1.9, 2.1, 101), ORIGIN)

    assert constant.identified
    assert (constant.low, constant.high) == pytest.approx((1.91, 2.09))
    assert constant.source == "fitted to 9 configurations"


def test_the_value_is_always_inside() -> None:
    """Refits that all lie on one side are widened to the value."""
    constant = constant_of(fit(0.1), 0, 2.0, np.linspace(2.1, 2.2, 101), ORIGIN)

    assert constant.low == 2.0


@pytest.mark.parametrize(("looseness", "refits"), [(0.9, np.linspace(1.9, 2.1, 101)), (0.1, np.geomspace(0.5, 8, 101))])
def test_loose_prices_are_not_identified(looseness: float, refits: Vector) -> None:
    """A tie that the data left loose, or refits a factor of four apart, are told and widened."""
    constant = constant_of(fit(looseness), 0, 2.0, refits, ORIGIN)

    assert not constant.identified
    assert constant.low is not None
    assert constant.high is not None
    assert constant.low <= 2.0 / 5
    assert constant.high >= 2.0 * 5
    assert constant.source.endswith("which do not determine it; expected 3 times call")
