"""`sosfilt`: a Butterworth band-pass as a cascade of second-order sections, the state carried over chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placement_cli.errors import UsageError
from placement_cli.operators.operator import (
    DESIGN,
    ITEM_BYTES,
    Features,
    Operator,
    Parameter,
    Params,
    Shape,
    Unit,
)
from placement_cli.operators.recurrence_plan import STATE_ITEM_BYTES, in_single_precision, plan_recurrence
from placement_cli.operators.unit import FunctionUnit, carrying

if TYPE_CHECKING:
    from collections.abc import Sequence

    from placement_cli.operators.state_space import Matrix

NARROWEST = 0.02
"""Least distance of the edges: the poles of narrower bands lie too close to 1 for single precision."""
DECIMALS = 1e-9
"""Slack for differences of decimal fractions, such as 0.05 - 0.03."""


def design(params: Params) -> list[list[float]]:
    """Return the sections (rows b0 b1 b2 a0 a1 a2) of the band-pass that `params` describe.

    Importing SciPy's filter design takes about as long as measuring a small case, hence `DESIGN`.
    """
    from scipy.signal import butter

    band = (float(params["low"]), float(params["high"]))
    sections: list[list[float]] = butter(int(params["sections"]), band, btype="bandpass", output="sos").tolist()
    return sections


def sections_of(params: Params) -> Matrix:
    """Return the sections as an array, designed before or now."""
    import numpy as np

    return np.asarray(params.get(DESIGN) or design(params))


def _check(params: Params) -> None:
    low, high = float(params["low"]), float(params["high"])
    if high - low < NARROWEST - DECIMALS:
        message = f"sosfilt: `high` ({high:g}) must exceed `low` ({low:g}) by {NARROWEST} at least."
        raise UsageError(message)


def _features(shapes: Sequence[Shape], params: Params, dtype: str) -> Features:
    (samples, channels) = shapes[0]
    states = 2 * int(params["sections"])
    work = plan_recurrence(states).work(samples, channels, STATE_ITEM_BYTES)
    work += in_single_precision(shapes[0], ITEM_BYTES[dtype])
    return work.features(shapes[0], states * channels * STATE_ITEM_BYTES)


def _make_mlx(shapes: Sequence[Shape], params: Params, dtype: str, _seed: int) -> Unit:
    import mlx.core as mx

    from placement_cli.operators.constant import zeros
    from placement_cli.operators.recurrence import LinearRecurrence
    from placement_cli.operators.state_space import section_cascade

    samples, channels = shapes[0]
    system = section_cascade(sections_of(params))
    advance = LinearRecurrence(system, samples).advance
    rest = zeros((system.states, channels))
    delays = rest

    def step(x: Any) -> Any:
        nonlocal delays
        length = len(x)
        if not length:
            return x
        y, delays = advance(delays, x, length)
        return y

    def step_converted(x: Any) -> Any:
        return step(x.astype(mx.float32)).astype(x.dtype) if len(x) else x

    def reset() -> None:
        nonlocal delays
        delays = rest

    return FunctionUnit(step if dtype == "float32" else step_converted, lambda: (delays,), reset)


def _make_numpy(shapes: Sequence[Shape], params: Params, _dtype: str, _seed: int) -> Unit:
    import numpy as np
    from scipy.signal import sosfilt

    sections = sections_of(params)
    rest = np.zeros((len(sections), 2, shapes[0][1]))
    return carrying(rest, lambda x, delays: sosfilt(sections, x, axis=0, zi=delays) if len(x) else (x, delays))


SOSFILT = Operator(
    name="sosfilt",
    summary="Butterworth band-pass in second-order sections, as scipy.signal.sosfilt does it",
    make_mlx=_make_mlx,
    make_numpy=_make_numpy,
    features=_features,
    parameters=(
        Parameter("sections", 2, "second-order sections, the order of the prototype", 1, 8),
        Parameter("low", 0.05, "lower edge as a share of the Nyquist frequency", 0.01, 0.97),
        Parameter("high", 0.45, "upper edge as a share of the Nyquist frequency", 0.03, 0.99),
    ),
    carries_state=True,
    check=_check,
    design=design,
)
