"""`bin`: the mean of every full bin of samples; what is left waits for the next message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placement_cli.operators.framing import count_frames, largest_carry
from placement_cli.operators.operator import (
    ITEM_BYTES,
    Features,
    Operator,
    Parameter,
    Params,
    Shape,
    Unit,
)
from placement_cli.operators.unit import FunctionUnit, carrying
from placement_cli.operators.work import Work, copy, mean, total, views

if TYPE_CHECKING:
    from collections.abc import Sequence


def _features(shapes: Sequence[Shape], params: Params, dtype: str) -> Features:
    samples, channels = shapes[0]
    size, item = int(params["size"]), ITEM_BYTES[dtype]
    carried = largest_carry(samples, size, size)
    known = carried + samples
    bins = count_frames(known, size, size)
    work = total(
        copy((known, channels), item) if carried else Work(),
        views(int(known > bins * size)),  # split off what is left
        views(1),
        mean((bins, size, channels), (bins, channels), item),
    )
    return work.features((bins, channels), carried * channels * item)


def _make_mlx(shapes: Sequence[Shape], params: Params, dtype: str, _seed: int) -> Unit:
    import mlx.core as mx

    from placement_cli.operators.constant import zeros

    size = int(params["size"])
    empty = zeros((0, shapes[0][1]), dtype)
    carried: Any = None

    def step(x: Any) -> Any:
        nonlocal carried
        if not len(x):
            return empty
        known = x if carried is None else mx.concatenate([carried, x])
        bins, left = divmod(len(known), size)
        if not bins:
            carried = known
            return empty
        full, carried = mx.split(known, [bins * size]) if left else (known, None)
        return mx.mean(mx.unflatten(full, 0, (bins, size)), 1)

    def state() -> Sequence[Any]:
        return () if carried is None else (carried,)

    def reset() -> None:
        nonlocal carried
        carried = None

    return FunctionUnit(step, state, reset)


def _make_numpy(shapes: Sequence[Shape], params: Params, _dtype: str, _seed: int) -> Unit:
    import numpy as np

    size, channels = int(params["size"]), shapes[0][1]

    def advance(x: Any, carried: Any) -> tuple[Any, Any]:
        known = np.concatenate([carried, x])
        bins = count_frames(len(known), size, size)
        return known[: bins * size].reshape(bins, size, channels).mean(axis=1), known[bins * size :]

    return carrying(np.zeros((0, channels)), advance)


BIN = Operator(
    name="bin",
    summary="mean of every full bin of samples; withholds output while a bin is not full",
    make_mlx=_make_mlx,
    make_numpy=_make_numpy,
    features=_features,
    parameters=(Parameter("size", 50, "samples of one bin", 2, 1_000_000),),
    carries_state=True,
    withholds=True,
)
