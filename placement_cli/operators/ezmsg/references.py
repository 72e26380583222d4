"""NumPy references for the processors of ezmsg-sigproc whose meaning differs from the operator's own.

Written after their definitions in ezmsg-sigproc 3.11, in double precision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placement_cli.operators.ewm_scaler import fading
from placement_cli.operators.unit import FunctionUnit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from placement_cli.operators.operator import Params, Shape, Unit


def scaler_reference(shapes: Sequence[Shape], params: Params, _dtype: str, _seed: int) -> Unit:
    """Make AdaptiveStandardScaler after a long stream of mean 0 and mean square 1.

    It differs from `ewm_scaler` where there is no variance: there the score is 0, however small the variances
    before were.
    """
    import numpy as np
    from scipy.signal import lfilter

    alpha, channels = fading(params), shapes[0][1]
    before = (1.0 - alpha) * np.repeat([[0.0, 1.0]], channels, axis=1)
    memory = before

    def step(x: Any) -> Any:
        nonlocal memory
        if not len(x):
            return x
        both = np.concatenate([x, x * x], axis=1)
        followed, memory = lfilter([alpha], [1.0, alpha - 1.0], both, axis=0, zi=memory)
        mean, square = followed[:, :channels], followed[:, channels:]
        variance = square - mean * mean
        varies = variance > 0.0
        return np.where(varies, x - mean, 0.0) / np.sqrt(np.where(varies, variance, 1.0))

    def reset() -> None:
        nonlocal memory
        memory = before

    return FunctionUnit(step, lambda: (memory,), reset)


def spectrum_reference(_shapes: Sequence[Shape], _params: Params, _dtype: str, _seed: int) -> Unit:
    """Make Spectrum with relative power, its window Hanning and no norm, at one sample a second.

    It differs from `spectrum` in the window: symmetric there, periodic here.
    """
    import numpy as np

    def step(x: Any) -> Any:
        samples = x.shape[-2]
        if not x.size:
            return x[..., : samples // 2 + 1, :]
        window = np.hanning(samples)[:, None]
        return np.abs(np.fft.rfft(x * window, axis=-2)) ** 2 / np.sum(window**2)

    return FunctionUnit(step)
