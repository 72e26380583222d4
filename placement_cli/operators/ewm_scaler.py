"""`ewm_scaler`: standard scores against an exponentially weighted mean and variance.

The meaning is that of AdaptiveStandardScaler in ezmsg-sigproc 3.11: alpha = 1 - exp(-1 / time constant),
averages of x and of x^2 that include the newest sample, variance = average square - square of the average,
result = (x - mean) / sqrt(variance). Two things differ. There the averages begin with nothing and the
missing history is divided out until it no longer shows; here the history before the first sample has mean 0
and mean square 1, so that every message builds the same graph and the first scores are not a quotient of
rounding errors. Both agree after some time constants. And a variance below LEAST_VARIANCE counts as that
much, where upstream gives 0 for a variance of none.

Everything is computed in single precision. The variance is a difference of two averages: a mean of k
standard deviations costs a factor k^2 of that precision (k = 30 leaves four digits). The averages round once
a message: a time constant of M messages costs a factor of about M at worst (M = 1000 leaves four digits).
Meant for signals of about unit scale and small mean, as filters give them.
"""

from __future__ import annotations

from math import exp
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
from placement_cli.operators.recurrence_plan import STATE_ITEM_BYTES, in_single_precision, plan_recurrence
from placement_cli.operators.unit import FunctionUnit
from placement_cli.operators.work import copy, elementwise, total, views

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_VARIANCE = 2.0**-23
"""The least variance told from none: the distance from 1 to the next number in single precision."""


def fading(params: Params) -> float:
    """Return the weight of the newest sample; after `time_constant` samples a step is followed to 1 - 1/e."""
    return 1.0 - exp(-1.0 / float(params["time_constant"]))


def _features(shapes: Sequence[Shape], _params: Params, dtype: str) -> Features:
    samples, channels = shape = shapes[0]
    both, item = 2 * channels, STATE_ITEM_BYTES
    work = total(
        in_single_precision(shape, ITEM_BYTES[dtype]),
        elementwise(shape, item),  # x^2
        copy((samples, both), item),
        plan_recurrence(1).work(samples, both, item),
        views(2),  # split the averages, stretch the least variance
        elementwise(shape, item),  # mean^2
        elementwise(shape, item, operands=2),  # variance
        elementwise(shape, item),  # not below the least
        elementwise(shape, item, operands=2),  # x - mean
        elementwise(shape, item),  # 1 / sqrt
        elementwise(shape, item, operands=2),
    )
    return work.features(shape, both * item)


def _make_mlx(shapes: Sequence[Shape], params: Params, dtype: str, _seed: int) -> Unit:
    import mlx.core as mx

    from placement_cli.operators.constant import constant
    from placement_cli.operators.recurrence import LinearRecurrence
    from placement_cli.operators.state_space import moving_average

    samples, channels = shapes[0]
    advance = LinearRecurrence(moving_average(fading(params)), samples).advance
    floor = mx.array(LEAST_VARIANCE, dtype=mx.float32)
    before = constant(_history(channels))
    averages = before

    def step(x: Any) -> Any:
        nonlocal averages
        length = len(x)
        if not length:
            return x
        followed, averages = advance(averages, mx.concatenate([x, mx.square(x)], axis=1), length)
        mean, square = mx.split(followed, 2, axis=1)
        variance = mx.maximum(square - mx.square(mean), floor)
        return (x - mean) * mx.rsqrt(variance)

    def step_converted(x: Any) -> Any:
        return step(x.astype(mx.float32)).astype(x.dtype) if len(x) else x

    def reset() -> None:
        nonlocal averages
        averages = before

    return FunctionUnit(step if dtype == "float32" else step_converted, lambda: (averages,), reset)


def _make_numpy(shapes: Sequence[Shape], params: Params, _dtype: str, _seed: int) -> Unit:
    import numpy as np
    from scipy.signal import lfilter

    alpha, floor, channels = fading(params), LEAST_VARIANCE, shapes[0][1]
    before = (1.0 - alpha) * _history(channels)
    memory = before

    def step(x: Any) -> Any:
        nonlocal memory
        if not len(x):
            return x
        both = np.concatenate([x, x * x], axis=1)
        followed, memory = lfilter([alpha], [1.0, alpha - 1.0], both, axis=0, zi=memory)
        mean, square = followed[:, :channels], followed[:, channels:]
        return (x - mean) / np.sqrt(np.maximum(square - mean * mean, floor))

    def reset() -> None:
        nonlocal memory
        memory = before

    return FunctionUnit(step, lambda: (memory,), reset)


def _history(channels: int) -> Any:
    import numpy as np

    return np.concatenate([np.zeros((1, channels)), np.ones((1, channels))], axis=1)


EWM_SCALER = Operator(
    name="ewm_scaler",
    summary="standard scores against an exponentially weighted mean and variance",
    make_mlx=_make_mlx,
    make_numpy=_make_numpy,
    features=_features,
    parameters=(Parameter("time_constant", 1000.0, "samples after which a step is followed to 63 %", 1.0, 1e5),),
    carries_state=True,
)
