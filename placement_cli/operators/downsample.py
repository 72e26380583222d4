"""`downsample`: every so many samples one is kept; the phase runs on over messages.

The phase is a number on the host, so nothing is carried in arrays. Features are those of a message whose first
sample is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placement_cli.operators.operator import (
    Features,
    Operator,
    Parameter,
    Params,
    Shape,
    Unit,
)
from placement_cli.operators.unit import FunctionUnit
from placement_cli.operators.work import views

if TYPE_CHECKING:
    from collections.abc import Sequence


def _features(shapes: Sequence[Shape], params: Params, _dtype: str) -> Features:
    samples, channels = shapes[0]
    kept = -(-samples // int(params["factor"]))
    return views(int(kept < samples)).features((kept, channels))


def _unit(factor: int, empty: Any) -> FunctionUnit:
    skip = 0

    def step(x: Any) -> Any:
        nonlocal skip
        samples, first = len(x), skip
        skip = (skip - samples) % factor
        return x[first::factor] if samples > first else empty

    def reset() -> None:
        nonlocal skip
        skip = 0

    return FunctionUnit(step, reset=reset)


def _make_mlx(shapes: Sequence[Shape], params: Params, dtype: str, _seed: int) -> Unit:
    from placement_cli.operators.constant import zeros

    return _unit(int(params["factor"]), zeros((0, shapes[0][1]), dtype))


def _make_numpy(_shapes: Sequence[Shape], params: Params, _dtype: str, _seed: int) -> Unit:
    import numpy as np

    factor, seen = int(params["factor"]), 0

    def step(x: Any) -> Any:
        nonlocal seen
        position = np.arange(seen, seen + len(x))
        seen += len(x)
        return x[position % factor == 0]

    def reset() -> None:
        nonlocal seen
        seen = 0

    return FunctionUnit(step, reset=reset)


DOWNSAMPLE = Operator(
    name="downsample",
    summary="every so many samples one is kept, without filtering; withholds output between them",
    make_mlx=_make_mlx,
    make_numpy=_make_numpy,
    features=_features,
    parameters=(Parameter("factor", 4, "samples for each one kept", 1, 1_000_000),),
    withholds=True,
)
