"""The references of processors that do not mean what the operator means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.operators.catalog import check_params, find_operator
from placement_cli.operators.ezmsg.references import scaler_reference, spectrum_reference


@given(seed=st.integers(0, 99), time_constant=st.floats(1.0, 500.0), lengths=st.lists(st.integers(0, 30), max_size=6))
@settings(deadline=None)
def test_scores_are_the_operators_own_wherever_there_is_variance(
    seed: int, time_constant: float, lengths: list[int]
) -> None:
    """Scaler and operator begin with the same history and differ only in what no variance gives."""
    params = {"time_constant": time_constant}
    one = scaler_reference([(30, 2)], params, "float32", 0)
    other = find_operator("ewm_scaler").make_numpy([(30, 2)], params, "float32", 0)
    random = np.random.default_rng(seed)
    for length in lengths:
        message = random.normal(size=(length, 2))
        np.testing.assert_allclose(one.step(message), other.step(message), rtol=1e-9, atol=1e-12)


def test_without_variance_the_score_is_zero() -> None:
    """A signal that stays the same until its history is forgotten scores 0, however far from 0 it is."""
    unit = scaler_reference([(4096, 1)], {"time_constant": 1.0}, "float32", 0)
    assert unit.step(np.full((4096, 1), 2.0))[-1, 0] == 0.0


def test_a_reset_brings_the_first_scores_back() -> None:
    """After a reset the history is that of the beginning."""
    unit = scaler_reference([(8, 2)], {"time_constant": 10.0}, "float32", 0)
    message = np.random.default_rng(0).normal(size=(8, 2))
    first = unit.step(message)
    assert not np.allclose(unit.step(message), first)
    unit.reset()
    np.testing.assert_array_equal(unit.step(message), first)


def test_the_spectrum_weights_with_a_symmetric_window() -> None:
    """By hand for four samples: the window 0, 3/4, 3/4, 0 has an energy of 9/8."""
    unit = spectrum_reference([(1, 4, 1)], check_params(find_operator("spectrum"), {}), "float32", 0)
    got = unit.step(np.array([[[5.0], [1.0], [2.0], [7.0]]]))
    ones = 0.75 * np.array([1.0 + 2.0, 0.0, -1.0 + 2.0])
    want = np.array([ones[0] ** 2, 0.75**2 * (1.0 + 4.0), ones[2] ** 2]) / 1.125
    assert got[0, :, 0] == pytest.approx(want)


def test_no_windows_give_no_spectra() -> None:
    """A stack of no windows comes out as a stack of no spectra, as with the operator."""
    unit = spectrum_reference([(2, 16, 3)], {}, "float32", 0)
    assert unit.step(np.zeros((0, 16, 3))).shape == (0, 9, 3)
