"""Time an encoder that works on a stream of its own.

`mx.synchronize()` without an argument waits for the default stream, where nothing was submitted. The clock is read
while the encoder still works, so that the figure is far too good, and whoever reads the code next waits instead.
"""

import time

import mlx.core as mx
import numpy as np

ROWS, WIDTH, REPEATS = 192, 192, 60


def encode(block: mx.array, weights: list[mx.array]) -> mx.array:
    """Return a block after all layers."""
    for layer in weights:
        block = mx.maximum(block @ layer, 0)
    return block


def main() -> None:
    """Print the best time of a block, and the mean of the last encoding."""
    mx.random.seed(8)
    side = mx.new_stream(mx.default_device())
    weights = [mx.random.normal((WIDTH, WIDTH)) / WIDTH**0.5 for _ in range(2)]
    block = mx.random.normal((ROWS, WIDTH))
    mx.eval(weights, block, encode(block, weights))
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        with mx.stream(side):
            encoded = encode(block, weights)
        mx.async_eval(encoded)
        mx.synchronize()  # <- PL304
        times.append(time.perf_counter() - start)
        level = np.asarray(encoded).mean()
    print(f"best of {REPEATS}: {min(times) * 1e3:.3f} ms")
    print(f"result: {level:.4f}")


if __name__ == "__main__":
    main()
