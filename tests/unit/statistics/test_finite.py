"""Numbers are checked once, and the error says which one was wrong."""

import numpy as np
import pytest

from placement_cli.statistics.finite import finite, positive


def test_row_comes_back_as_floats() -> None:
    """A list of numbers becomes a one-dimensional float array."""
    row = finite([1, 2, 3], "values")
    assert row.dtype == np.float64
    assert row.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_not_finite_is_refused_by_place(bad: float) -> None:
    """NaN and infinite numbers are refused with their position and what they were meant to be."""
    with pytest.raises(ValueError, match=r"ratios: number 2 of 3 is (nan|inf|-inf)"):
        finite([1.0, bad, 2.0], "ratios")


def test_nothing_and_tables_are_refused() -> None:
    """No numbers at all, and anything but one row, are refused."""
    with pytest.raises(ValueError, match="at least one number"):
        finite([], "ratios")
    with pytest.raises(ValueError, match=r"shape \(2, 2\)"):
        finite(np.zeros((2, 2)), "ratios")


@pytest.mark.parametrize("bad", [0.0, -1.0])
def test_positive_refuses_zero_and_below(bad: float) -> None:
    """A sample of no time or less is refused."""
    with pytest.raises(ValueError, match=r"number 1 of 2 is .* not above zero"):
        positive([bad, 1.0], "samples")
