"""How far values may be from the reference."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.operators.agreement import as_float64, disagreement, tolerance
from placement_cli.operators.operator import ITEM_BYTES


@pytest.mark.parametrize("dtype", ITEM_BYTES)
def test_tolerance_follows_the_spacing_of_numbers_near_one(dtype: str) -> None:
    """Half of the digits relative to the scale, eight spacings in any case."""
    kind = getattr(mx, dtype)
    spacing = mx.finfo(kind).eps
    assert tolerance(dtype) == pytest.approx((spacing**0.5, 8 * spacing))


@given(st.sampled_from(sorted(ITEM_BYTES)), st.floats(1e-6, 1e6), st.floats(-10, 10))
def test_disagreement_is_one_at_the_tolerance(dtype: str, scale: float, multiple: float) -> None:
    """An error of so many times the tolerance is reported as that many."""
    relative, absolute = tolerance(dtype)
    want = np.array([[0.0, scale], [-scale / 2, 0.0]])
    got = want.copy()
    got[0, 0] += multiple * (absolute + relative * scale)
    assert disagreement(got, want, dtype) == pytest.approx(abs(multiple), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("bad", [nan, inf])
def test_values_that_are_not_finite_never_agree(bad: float) -> None:
    """A NaN or an infinity on either side is an infinite disagreement."""
    assert disagreement(np.array([bad]), np.array([1.0]), "float32") == inf
    assert disagreement(np.array([1.0]), np.array([bad]), "float32") == inf


def test_messages_of_different_shapes_never_agree() -> None:
    """Values that would broadcast against each other are not compared."""
    assert disagreement(np.ones((2, 3)), np.ones((1, 3)), "float32") == inf


def test_empty_messages_agree() -> None:
    """There is nothing in them that could differ."""
    assert disagreement(mx.zeros((0, 3)), np.zeros((0, 3)), "float32") == 0.0


@pytest.mark.parametrize("dtype", ITEM_BYTES)
def test_messages_of_every_element_type_are_read(dtype: str) -> None:
    """bfloat16, which NumPy cannot read, included."""
    values = as_float64(mx.array([[0.5, -2.0]], dtype=getattr(mx, dtype)))
    assert values.dtype == np.float64
    assert values.tolist() == [[0.5, -2.0]]


CHAINS: list[list[tuple[str, dict[str, Any]]]] = [
    [("sosfilt", {}), ("ewm_scaler", {}), ("abs", {})],
    [("car", {}), ("fir", {}), ("affine", {"outputs": 5}), ("scale", {})],
    [("sosfilt", {"sections": 4}), ("abs", {}), ("fir", {"taps": 9}), ("bin", {"size": 7}), ("scale", {})],
    [("downsample", {"factor": 3}), ("window", {"length": 8, "hop": 3}), ("spectrum", {}), ("affine", {})],
    [("downsample", {"factor": 2}), ("ewm_scaler", {"time_constant": 20}), ("spectrum", {}), ("abs", {})],
]


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: "-".join(name for name, _ in chain))
@settings(deadline=None, max_examples=12)
@given(
    lengths=st.lists(st.integers(0, 90), min_size=1, max_size=8),
    dtype=st.sampled_from(sorted(ITEM_BYTES)),
    seed=st.integers(0, 999),
)
def test_chains_of_operators_agree_message_by_message(
    stream: Any, chain: list[tuple[str, dict[str, Any]]], lengths: list[int], dtype: str, seed: int
) -> None:
    """Rounding errors of earlier operators do not grow beyond the tolerance on the way."""
    shape: tuple[int, ...] = (90, 3)
    units = []
    for name, params in chain:
        node = stream(name, params, [shape], dtype, seed)
        shape = node.features.output
        units.append(node)
    for length in lengths:
        (message,) = units[0].messages(length)
        reference = as_float64(message)
        for node in units:
            message, reference = node.unit.step(message), node.reference.step(reference)
        assert disagreement(message, reference, dtype) < 1
