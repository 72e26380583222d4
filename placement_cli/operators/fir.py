"""`fir`: a windowed-sinc low-pass as one product with a banded Toeplitz matrix, the last samples carried.

With T taps N outputs need the N samples and the T - 1 before them. Short chunks are one product with an
(N, N + T - 1) matrix. Long ones are cut into overlapping windows of BLOCK + T - 1 samples, BLOCK outputs each,
without copying them; the last window ends with the chunk and the first one may repeat outputs of the chunk
before, so that one matrix fits every length.
"""

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
from placement_cli.operators.unit import FunctionUnit, carrying
from placement_cli.operators.work import copy, matmul, total, views

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import mlx.core as mx

    from placement_cli.operators.state_space import Matrix

BLOCK = 32
"""Outputs of one window; each costs this many multiply-adds more than it has taps."""
DIRECT_LIMIT = 64
"""Streams whose longest message has at most this many samples take one product a message."""


def design(params: Params) -> Matrix:
    """Return the taps (Hamming window, unit gain at zero frequency)."""
    from scipy.signal import firwin

    taps: Matrix = firwin(int(params["taps"]), float(params["cutoff"]))
    return taps


def carried_rows(samples: int, taps: int) -> int:
    """Return how many past samples are kept when messages have up to `samples` samples."""
    return taps - 1 + (BLOCK - 1 if samples > DIRECT_LIMIT else 0)


def band_matrix(taps: Matrix, outputs: int) -> Matrix:
    """Return the (outputs, outputs + taps - 1) matrix from samples, oldest first, to filtered samples."""
    from numpy import zeros

    band = zeros((outputs, outputs + len(taps) - 1))
    for row in range(outputs):
        band[row, row : row + len(taps)] = taps[::-1]
    return band


def _features(shapes: Sequence[Shape], params: Params, dtype: str) -> Features:
    samples, channels = shapes[0]
    taps, item = int(params["taps"]), ITEM_BYTES[dtype]
    kept = carried_rows(samples, taps)
    work = copy((kept + samples, channels), item) + views(1)
    if samples <= DIRECT_LIMIT:
        work += matmul(samples, samples + taps - 1, channels, item)
    else:
        windows = -(-samples // BLOCK)
        product = matmul(BLOCK, BLOCK + taps - 1, channels, item, batch=windows)
        work = total(work, views(2), views(1), product, views(1), views(int(samples % BLOCK > 0)))
    return work.features(shapes[0], kept * channels * item)


def _make_mlx(shapes: Sequence[Shape], params: Params, dtype: str, _seed: int) -> Unit:
    import mlx.core as mx

    from placement_cli.operators.constant import zeros

    samples, channels = shapes[0]
    taps = design(params)
    silence = zeros((carried_rows(samples, len(taps)), channels), dtype)
    apply = _in_one_product(taps, samples, dtype) if samples <= DIRECT_LIMIT else _in_windows(taps, channels, dtype)
    past = silence

    def step(x: Any) -> Any:
        nonlocal past
        length = len(x)
        if not length:
            return x
        known = mx.concatenate([past, x])
        past = known[length:]
        return apply(known, length)

    def reset() -> None:
        nonlocal past
        past = silence

    return FunctionUnit(step, lambda: (past,), reset)


def _in_one_product(taps: Matrix, samples: int, dtype: str) -> Callable[[mx.array, int], mx.array]:
    import mlx.core as mx

    from placement_cli.operators.constant import constant

    bands = [constant(band_matrix(taps, length), dtype) for length in range(samples + 1)]

    def apply(known: mx.array, length: int) -> mx.array:
        return mx.matmul(bands[length], known)

    return apply


def _in_windows(taps: Matrix, channels: int, dtype: str) -> Callable[[mx.array, int], mx.array]:
    import mlx.core as mx

    from placement_cli.operators.constant import constant

    band = constant(band_matrix(taps, BLOCK), dtype)
    before = len(taps) - 1
    rows, strides = BLOCK + before, (BLOCK * channels, channels, 1)

    def apply(known: mx.array, length: int) -> mx.array:
        count = -(-length // BLOCK)
        first = len(known) - before - count * BLOCK
        windows = mx.as_strided(known, (count, rows, channels), strides, first * channels)
        return mx.flatten(mx.matmul(band, windows), 0, 1)[count * BLOCK - length :]

    return apply


def _make_numpy(shapes: Sequence[Shape], params: Params, _dtype: str, _seed: int) -> Unit:
    import numpy as np
    from scipy.signal import lfilter

    taps = design(params)
    silence = np.zeros((len(taps) - 1, shapes[0][1]))
    return carrying(silence, lambda x, memory: lfilter(taps, [1.0], x, axis=0, zi=memory) if len(x) else (x, memory))


FIR = Operator(
    name="fir",
    summary="windowed-sinc low-pass, like scipy.signal.lfilter with the last samples carried",
    make_mlx=_make_mlx,
    make_numpy=_make_numpy,
    features=_features,
    parameters=(
        Parameter("taps", 64, "length of the impulse response", 2, 1024),
        Parameter("cutoff", 0.25, "edge of the pass band as a share of the Nyquist frequency", 0.01, 0.99),
    ),
    carries_state=True,
)
