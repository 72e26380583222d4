"""`abs`, `scale`, `car`: light work on single elements and across channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placement_cli.operators.operator import (
    ITEM_BYTES,
    Features,
    Operator,
    Parameter,
    Params,
    Shape,
    Unit,
)
from placement_cli.operators.unit import FunctionUnit
from placement_cli.operators.work import broadcast, elementwise, mean, total, views

if TYPE_CHECKING:
    from collections.abc import Sequence


def _abs_features(shapes: Sequence[Shape], _params: Params, dtype: str) -> Features:
    return elementwise(shapes[0], ITEM_BYTES[dtype]).features(shapes[0])


def _abs_mlx(_shapes: Sequence[Shape], _params: Params, _dtype: str, _seed: int) -> Unit:
    import mlx.core as mx

    return FunctionUnit(mx.abs)


def _abs_numpy(_shapes: Sequence[Shape], _params: Params, _dtype: str, _seed: int) -> Unit:
    import numpy as np

    return FunctionUnit(np.abs)


ABS = Operator("abs", "absolute value (rectifier)", _abs_mlx, _abs_numpy, _abs_features, ranks=(2, 3))


def _scale_features(shapes: Sequence[Shape], _params: Params, dtype: str) -> Features:
    half = views(1) + elementwise(shapes[0], ITEM_BYTES[dtype])
    return (half + half).features(shapes[0])


def _scale_mlx(_shapes: Sequence[Shape], params: Params, dtype: str, _seed: int) -> Unit:
    import mlx.core as mx

    gain = mx.array(float(params["gain"]), dtype=getattr(mx, dtype))
    offset = mx.array(float(params["offset"]), dtype=getattr(mx, dtype))
    return FunctionUnit(lambda x: x * gain + offset)


def _scale_numpy(_shapes: Sequence[Shape], params: Params, _dtype: str, _seed: int) -> Unit:
    gain, offset = float(params["gain"]), float(params["offset"])
    return FunctionUnit(lambda x: x * gain + offset)


SCALE = Operator(
    "scale",
    "x * gain + offset, in two kernels",
    _scale_mlx,
    _scale_numpy,
    _scale_features,
    parameters=(
        Parameter("gain", 0.5, "factor", -1000.0, 1000.0),
        Parameter("offset", 0.25, "added afterwards", -1000.0, 1000.0),
    ),
    ranks=(2, 3),
)


def _car_features(shapes: Sequence[Shape], _params: Params, dtype: str) -> Features:
    item, shape = ITEM_BYTES[dtype], shapes[0]
    average = (*shape[:-1], 1)
    work = total(mean(shape, average, item), broadcast(average, shape), elementwise(shape, item))
    return work.features(shape)


def _car_mlx(_shapes: Sequence[Shape], _params: Params, _dtype: str, _seed: int) -> Unit:
    import mlx.core as mx

    average = mx.mean

    def step(x: Any) -> Any:
        return x - average(x, -1, True)

    return FunctionUnit(step)


def _car_numpy(_shapes: Sequence[Shape], _params: Params, _dtype: str, _seed: int) -> Unit:
    return FunctionUnit(lambda x: x - x.mean(axis=-1, keepdims=True))


CAR = Operator(
    "car",
    "common average reference: each sample minus its mean over channels",
    _car_mlx,
    _car_numpy,
    _car_features,
    ranks=(2, 3),
)
