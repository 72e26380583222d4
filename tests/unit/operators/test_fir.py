"""The low-pass with a finite impulse response."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import firwin

from placement_cli.operators.catalog import OPERATORS, check_params
from placement_cli.operators.fir import band_matrix, design


def test_the_design_is_a_windowed_low_pass() -> None:
    """Taps are those of scipy.signal.firwin and add up to one."""
    taps = design(check_params(OPERATORS["fir"], {"taps": 21, "cutoff": 0.3}))
    np.testing.assert_array_equal(taps, firwin(21, 0.3))
    assert taps.sum() == pytest.approx(1.0)


def test_the_band_matrix_convolves() -> None:
    """Its product with samples is the part of the convolution that needs no other samples."""
    taps = np.array([1.0, 2.0, 3.0])
    samples = np.arange(6.0)
    np.testing.assert_allclose(band_matrix(taps, 4) @ samples, np.convolve(samples, taps, "valid"))


@settings(deadline=None, max_examples=40)
@given(
    taps=st.integers(2, 90),
    longest=st.sampled_from([1, 20, 64, 65, 200]),
    parts=st.lists(st.floats(0, 1), min_size=1, max_size=6),
)
def test_a_stream_is_one_convolution(stream: Any, taps: int, longest: int, parts: list[float]) -> None:
    """However samples are cut into messages, the outputs are those of the whole."""
    lengths = [round(part * longest) for part in parts]
    node = stream("fir", {"taps": taps}, [(longest, 2)])
    seen, got = [np.zeros((0, 2))], [np.zeros((0, 2))]
    for length in lengths:
        (x,) = node.messages(length)
        seen.append(np.asarray(x, dtype=np.float64))
        got.append(np.asarray(node.unit.step(x)))
    whole, impulse = np.concatenate(seen), design(node.checked)
    silent = np.concatenate([np.zeros((1, 2)), whole])
    want = np.stack([np.convolve(silent[:, c], impulse)[1 : len(silent)] for c in range(2)], axis=1)
    np.testing.assert_allclose(np.concatenate(got), want, atol=1e-5)


def test_a_message_without_samples_passes_and_leaves_the_state(stream: Any) -> None:
    """The very same message comes out, and the very same samples wait."""
    node = stream("fir")
    node.unit.step(*node.messages())
    (before,) = node.unit.state()
    (empty,) = node.messages(0)
    assert node.unit.step(empty) is empty
    assert node.unit.state()[0] is before
