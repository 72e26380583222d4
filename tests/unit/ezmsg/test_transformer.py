"""The real transformer, with our planner in place of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from ezmsg.util.messages.axisarray import AxisArray

from placement_cli.ezmsg import use_profile
from placement_cli.profile.profile import Profile

ARRAYS = {"numpy": np.asarray, "mlx": mx.array}


def _message(data: Any) -> Any:
    return AxisArray(data, dims=["time", "ch"], axes={"time": AxisArray.TimeAxis(fs=1000.0)})


@pytest.mark.parametrize("backend", ARRAYS)
def test_it_computes_the_product_by_our_plan(
    backend: str, consumer: Any, hidden_banks: Any, on_numpy: Profile, on_mlx: Profile
) -> None:
    """Where upstream stops at a useless cut in two, it runs many blocks, with the same result as the dense product."""
    array: Callable[[Any], Any] = ARRAYS[backend]
    x = np.random.default_rng(0).standard_normal((30, len(hidden_banks))).astype(np.float32)
    with use_profile(on_numpy, on_mlx, planner=True):
        transformer = consumer.affine_transform(hidden_banks, axis="ch")
        out = transformer(_message(array(x))).data
    alone = consumer.affine_transform(hidden_banks, axis="ch")
    dense = consumer.affine_transform(hidden_banks, axis="ch", kernel="dense")
    without = alone(_message(array(x))).data

    assert type(out) is type(without)
    assert len(transformer.state.blocks) > 8
    assert transformer.state.in_perm is not None
    assert not alone.state.blocks or len(alone.state.blocks) == 2
    for result in (out, without, dense(_message(array(x))).data):
        np.testing.assert_allclose(np.array(result), x @ hidden_banks, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("backend", ARRAYS)
def test_plans_that_leave_inputs_out_are_executed_too(
    backend: str, consumer: Any, banks: Any, on_numpy: Profile, on_mlx: Profile
) -> None:
    """Unused inputs are not gathered and unused outputs come out as zeros."""
    weights = banks([(64, 48)] * 8)
    weights[::5] = 0
    weights[:, 7::11] = 0
    rng = np.random.default_rng(1)
    weights = np.ascontiguousarray(weights[rng.permutation(512)][:, rng.permutation(384)])
    x = rng.standard_normal((300, 512)).astype(np.float32)
    with use_profile(on_numpy, on_mlx, planner=True):
        transformer = consumer.affine_transform(weights, axis="ch")
        out = transformer(_message(ARRAYS[backend](x))).data
    assert len(transformer.state.in_perm) < 512
    np.testing.assert_allclose(np.array(out), x @ weights, rtol=1e-4, atol=1e-3)


def test_constants_alone_change_what_it_chooses(consumer: Any, banks: Any, on_mlx: Profile) -> None:
    """With the call cost of this backend small blocks are used, with the one shipped for another machine not."""
    weights = banks([(8, 8)] * 32)
    x = mx.ones((30, 256))
    with use_profile(on_mlx):
        fitted = consumer.affine_transform(weights, axis="ch")
        fitted(_message(x))
    shipped = consumer.affine_transform(weights, axis="ch")
    shipped(_message(x))
    assert len(fitted.state.blocks) > 1
    assert shipped.state.blocks is None
