"""`values`: the message as a NumPy array, which waits for everything it is computed from.

NumPy sees the buffer of MLX without a copy, and keeps it alive. It has no bfloat16: such messages are
converted to single precision on the device first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from placement_cli.operators.operator import ITEM_BYTES, Features, Operator, Params, Shape, Unit
from placement_cli.operators.unit import FunctionUnit, identity
from placement_cli.operators.work import Work, copy

if TYPE_CHECKING:
    from collections.abc import Sequence

UNKNOWN_TO_NUMPY = "bfloat16"


def _features(shapes: Sequence[Shape], _params: Params, dtype: str) -> Features:
    converted = copy(shapes[0], ITEM_BYTES[dtype], ITEM_BYTES["float32"])
    return (converted if dtype == UNKNOWN_TO_NUMPY else Work()).features(shapes[0])


def _make_mlx(_shapes: Sequence[Shape], _params: Params, dtype: str, _seed: int) -> Unit:
    import mlx.core as mx
    import numpy as np

    if dtype == UNKNOWN_TO_NUMPY:
        return FunctionUnit(lambda x: np.asarray(x.astype(mx.float32)))
    return FunctionUnit(np.asarray)


def _make_numpy(_shapes: Sequence[Shape], _params: Params, _dtype: str, _seed: int) -> Unit:
    return FunctionUnit(identity)


VALUES = Operator(
    name="values",
    summary="the message as a NumPy array: forces and waits",
    make_mlx=_make_mlx,
    make_numpy=_make_numpy,
    features=_features,
    backend="host",
    ranks=(2, 3),
)
