"""The band-pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import butter, sosfilt

from placement_cli.errors import UsageError
from placement_cli.operators.catalog import OPERATORS, check_params
from placement_cli.operators.sosfilt import design


def test_the_design_is_a_butterworth_band_pass_of_so_many_sections() -> None:
    """An order of n gives n sections between the two edges."""
    params = check_params(OPERATORS["sosfilt"], {"sections": 3, "low": 0.1, "high": 0.3})
    np.testing.assert_array_equal(design(params), butter(3, (0.1, 0.3), "bandpass", output="sos"))


def test_carried_delays_are_those_of_scipy(stream: Any) -> None:
    """After messages of any length the state holds what scipy.signal.sosfilt carries as `zi`."""
    node = stream("sosfilt", {"sections": 3}, [(100, 2)])
    seen = [np.asarray(node.messages(length)[0], dtype=np.float64) for length in (100, 0, 1, 37)]
    node.random = np.random.default_rng(node.seed)
    for x in seen:
        node.unit.step(*node.messages(len(x)))
    _, zi = sosfilt(design(node.checked), np.concatenate(seen), axis=0, zi=np.zeros((3, 2, 2)))
    (state,) = node.unit.state()
    np.testing.assert_allclose(np.asarray(state), zi.reshape(6, 2), rtol=1e-4, atol=1e-5)


def test_a_message_without_samples_passes_and_leaves_the_state(stream: Any) -> None:
    """The very same message comes out, and the very same state stays."""
    node = stream("sosfilt")
    node.unit.step(*node.messages())
    (before,) = node.unit.state()
    (empty,) = node.messages(0)
    assert node.unit.step(empty) is empty
    assert node.unit.state()[0] is before


@settings(deadline=None, max_examples=25)
@given(
    sections=st.integers(1, 8),
    low=st.floats(0.01, 0.97),
    width=st.floats(0.02, 0.98),
    length=st.sampled_from([1, 30, 64, 200]),
)
def test_every_band_that_is_valid_agrees_with_scipy(
    stream: Any, sections: int, low: float, width: float, length: int
) -> None:
    """Single precision is enough for all parameters within bounds, over a stream of many messages."""
    params = {"sections": sections, "low": low, "high": min(0.99, low + width)}
    try:
        node = stream("sosfilt", params, [(length, 2)])
    except UsageError:
        assert params["high"] - low < 0.02
        return
    assert node.worst([length] * 30) < 1


@pytest.mark.parametrize("lengths", [[30, 64, 47, 31] * 60, [1024] * 12])
def test_long_streams_agree_with_scipy(stream: Any, lengths: list[int]) -> None:
    """Neither many jittering short messages nor many long ones drift away."""
    assert stream("sosfilt", {}, [(max(lengths), 3)]).worst(lengths) < 0.5
