"""`affine`: a dense matrix across channels, such as a spatial filter or a linear decoder."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

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
from placement_cli.operators.work import broadcast, matmul

if TYPE_CHECKING:
    from collections.abc import Sequence

    from placement_cli.operators.state_space import Matrix


def weights(shape: Shape, params: Params, seed: int) -> Matrix:
    """Return the (inputs, outputs) matrix of `seed`: normal, so that outputs are about as large as inputs."""
    from numpy.random import default_rng

    inputs = shape[-1]
    return default_rng(seed).normal(size=(inputs, _outputs(shape, params))) / sqrt(inputs)


def _outputs(shape: Shape, params: Params) -> int:
    return int(params["outputs"]) or shape[-1]


def _features(shapes: Sequence[Shape], params: Params, dtype: str) -> Features:
    *lead, samples, inputs = shapes[0]
    outputs = _outputs(shapes[0], params)
    batch = lead[0] if lead else 1
    item = ITEM_BYTES[dtype]
    product = matmul(outputs, inputs, samples, item, batch)
    stretch = broadcast((1,) * len(lead), tuple(lead))
    return (stretch + product).features((*lead, samples, outputs))


def _make_mlx(shapes: Sequence[Shape], params: Params, dtype: str, seed: int) -> Unit:
    from placement_cli.operators.constant import constant

    # For a stack of windows a stack of one: windows overlap in memory, flattening would copy them.
    matrix = constant(weights(shapes[0], params, seed)[(None,) * (len(shapes[0]) - 2)], dtype)
    return FunctionUnit(lambda x: x @ matrix)


def _make_numpy(shapes: Sequence[Shape], params: Params, _dtype: str, seed: int) -> Unit:
    matrix = weights(shapes[0], params, seed)
    return FunctionUnit(lambda x: x @ matrix)


AFFINE = Operator(
    "affine",
    "dense matrix across channels, with weights drawn from the seed",
    _make_mlx,
    _make_numpy,
    _features,
    parameters=(Parameter("outputs", 0, "channels that come out; 0: as many as go in", 0, 16384),),
    ranks=(2, 3),
)
