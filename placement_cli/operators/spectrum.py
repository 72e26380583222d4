"""`spectrum`: power per frequency of a message, or of every window of a stack of windows.

The samples are weighted with a periodic Hann window of unit energy: the power of white noise is its
variance at every inner frequency. A message without samples comes out as it went in, a stack of no windows
as a stack of no spectra.
"""

from __future__ import annotations

from math import log2, prod
from typing import TYPE_CHECKING, Any

from placement_cli.operators.operator import (
    ITEM_BYTES,
    Features,
    Operator,
    Params,
    Shape,
    Unit,
)
from placement_cli.operators.unit import FunctionUnit
from placement_cli.operators.work import Work, broadcast, copy, elementwise, kernel, total

if TYPE_CHECKING:
    from collections.abc import Sequence

    from placement_cli.operators.state_space import Matrix

REAL, COMPLEX = 4, 8
"""Bytes of the numbers MLX transforms in: single precision whatever the message holds."""


def taper(samples: int) -> Matrix:
    """Return the window as a column (samples, 1)."""
    import numpy as np

    phase = np.arange(samples) / samples
    shape = 0.5 - 0.5 * np.cos(2.0 * np.pi * phase) if samples > 1 else np.ones(samples)
    column: Matrix = (shape / np.sqrt(np.sum(shape**2)))[:, None]
    return column


def _features(shapes: Sequence[Shape], _params: Params, dtype: str) -> Features:
    shape = shapes[0]
    *lead, samples, channels = shape
    output = (*lead, samples // 2 + 1, channels)
    item, bins = ITEM_BYTES[dtype], prod(output)
    converted = total(copy(shape, item, REAL), copy(output, REAL, item)) if item != REAL else Work()
    transform = kernel(prod(shape) * REAL, bins * COMPLEX, 2.5 * prod(shape) * log2(max(2, samples)))
    work = total(
        broadcast((samples, 1), shape),
        elementwise(shape, item),
        transform,
        kernel(bins * COMPLEX, bins * COMPLEX, 4.0 * bins),  # modulus, still as complex numbers
        copy(output, COMPLEX, REAL),
        elementwise(output, REAL),
        converted,
    )
    return work.features(output)


class _Tapers(dict[int, Any]):
    """The window for each message length, made on first use and kept."""

    def __init__(self, dtype: str) -> None:
        super().__init__()
        self.dtype = dtype

    def __missing__(self, samples: int) -> Any:
        from placement_cli.operators.constant import constant

        window = self[samples] = constant(taper(samples), self.dtype)
        return window


def _make_mlx(shapes: Sequence[Shape], _params: Params, dtype: str, _seed: int) -> Unit:
    import mlx.core as mx

    tapers = _Tapers(dtype)
    tapers[shapes[0][-2]]

    def step(x: Any) -> Any:
        samples = x.shape[-2]
        if not x.size:
            return x[..., : samples // 2 + 1, :]
        return mx.square(mx.abs(mx.fft.rfft(x * tapers[samples], axis=-2)))

    def step_converted(x: Any) -> Any:
        return step(x).astype(x.dtype)

    return FunctionUnit(step if dtype == "float32" else step_converted)


def _make_numpy(_shapes: Sequence[Shape], _params: Params, _dtype: str, _seed: int) -> Unit:
    import numpy as np
    from scipy.signal.windows import hann

    def step(x: Any) -> Any:
        samples = x.shape[-2]
        if not x.size:
            return x[..., : samples // 2 + 1, :]
        window = hann(samples, sym=False)
        return np.abs(np.fft.rfft(x * window[:, None], axis=-2)) ** 2 / np.sum(window**2)

    return FunctionUnit(step)


SPECTRUM = Operator(
    "spectrum",
    "power per frequency with a Hann window, along samples",
    _make_mlx,
    _make_numpy,
    _features,
    ranks=(2, 3),
)
