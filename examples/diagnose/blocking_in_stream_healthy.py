"""Filter a stream, and pack each raw block for the archive on the host.

The sick twin waits for each output before it packs the block, which does not need the output.
The cure is a window of one: submit the block, pack it meanwhile, and wait for the output of the block before.
"""

import zlib
from collections import deque

import mlx.core as mx
import numpy as np

SAMPLES, CHANNELS, MESSAGES = 256, 128, 90


def compress(block: mx.array, spatial: mx.array) -> mx.array:
    """Return the power of a block after a spatial filter that saturates."""
    return mx.square(mx.tanh(block @ spatial)).mean()


def main() -> None:
    """Run the stream and print the size of the archive and the mean power."""
    mx.random.seed(15)
    spatial = mx.random.normal((CHANNELS, CHANNELS)) / CHANNELS**0.5
    mx.eval(spatial)
    blocks = np.random.default_rng(15).integers(-99, 99, (16, SAMPLES, CHANNELS)).astype(np.int16)
    archive, powers = 0, []
    window: deque[mx.array] = deque()
    for index in range(MESSAGES):
        block = blocks[index % 16]
        power = compress(mx.array(block.astype(np.float32) / 64), spatial)
        mx.async_eval(power)
        window.append(power)
        archive += len(zlib.compress(block.tobytes(), 6))
        if len(window) > 1:
            done = window.popleft()
            mx.eval(done)
            powers.append(done)
    powers.extend(window)
    print(f"result: {archive} {mx.stack(powers).mean().item():.4f}")


if __name__ == "__main__":
    main()
