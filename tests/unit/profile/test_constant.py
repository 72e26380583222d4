"""One constant of a machine."""

import pytest

from placement_cli.profile.constant import Constant


def test_an_interval_may_be_missing() -> None:
    """A constant without an interval is a constant."""
    assert Constant(1e6, None, None, "MAC", True, "grid").value == 1e6


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_numbers_are_finite(bad: float) -> None:
    """A value or an end that is not finite is refused."""
    with pytest.raises(ValueError, match="finite"):
        Constant(bad, None, None, "s", True, "")
    with pytest.raises(ValueError, match="finite"):
        Constant(1.0, 0.0, bad, "s", True, "")


@pytest.mark.parametrize(("low", "high"), [(2.0, 3.0), (0.0, 0.5), (1.5, None), (None, 0.5)])
def test_the_value_lies_in_its_interval(low: float | None, high: float | None) -> None:
    """An interval that leaves the value out is refused."""
    with pytest.raises(ValueError, match="outside"):
        Constant(1.0, low, high, "s", True, "")
