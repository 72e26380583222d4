"""`window`: overlapping windows of samples, as a stack (windows, length, channels)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placement_cli.errors import UsageError
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
from placement_cli.operators.work import copy, total, views

if TYPE_CHECKING:
    from collections.abc import Sequence


def _check(params: Params) -> None:
    if int(params["hop"]) > int(params["length"]):
        message = f"window: `hop` ({params['hop']}) must not exceed `length` ({params['length']})."
        raise UsageError(message)


def _features(shapes: Sequence[Shape], params: Params, dtype: str) -> Features:
    samples, channels = shapes[0]
    length, hop, item = int(params["length"]), int(params["hop"]), ITEM_BYTES[dtype]
    carried = largest_carry(samples, length, hop)
    known = carried + samples
    count = count_frames(known, length, hop)
    left = known - count * hop
    work = total(copy((known, channels), item), views(2), views(int(left > 0)))
    return work.features((count, length, channels), carried * channels * item)


def _make_mlx(shapes: Sequence[Shape], params: Params, dtype: str, _seed: int) -> Unit:
    import mlx.core as mx

    from placement_cli.operators.constant import zeros

    length, hop, channels = int(params["length"]), int(params["hop"]), shapes[0][1]
    before, empty = zeros((0, channels), dtype), zeros((0, length, channels), dtype)
    strides = (hop * channels, channels, 1)
    carried = before

    def step(x: Any) -> Any:
        nonlocal carried
        if not len(x):
            return empty
        known = mx.concatenate([carried, x])
        samples = len(known)
        count = count_frames(samples, length, hop)
        if not count:
            carried = known
            return empty
        carried = known[count * hop :] if samples > count * hop else before
        return mx.as_strided(known, (count, length, channels), strides)

    def reset() -> None:
        nonlocal carried
        carried = before

    return FunctionUnit(step, lambda: (carried,), reset)


def _make_numpy(shapes: Sequence[Shape], params: Params, _dtype: str, _seed: int) -> Unit:
    import numpy as np

    length, hop, channels = int(params["length"]), int(params["hop"]), shapes[0][1]

    def advance(x: Any, carried: Any) -> tuple[Any, Any]:
        known = np.concatenate([carried, x])
        starts = range(0, len(known) - length + 1, hop)
        windows = [known[start : start + length] for start in starts]
        return np.stack(windows) if windows else np.zeros((0, length, channels)), known[len(starts) * hop :]

    return carrying(np.zeros((0, channels)), advance)


WINDOW = Operator(
    name="window",
    summary="overlapping windows of samples, stacked; withholds output until the next one is full",
    make_mlx=_make_mlx,
    make_numpy=_make_numpy,
    features=_features,
    parameters=(
        Parameter("length", 256, "samples of one window", 2, 1_000_000),
        Parameter("hop", 128, "samples from the start of one window to that of the next", 1, 1_000_000),
    ),
    carries_state=True,
    withholds=True,
    check=_check,
)
