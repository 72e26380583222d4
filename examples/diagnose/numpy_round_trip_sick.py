"""Filter a stream of packed blocks in MLX, clip its artefacts in NumPy, and go on in MLX.

Each message leaves MLX in the middle: the conversion evaluates the first half and waits for it, and the way back copies
it. Neither the next block is unpacked meanwhile nor does the device have anything to do while NumPy works.
"""

import zlib

import mlx.core as mx
import numpy as np

SAMPLES, CHANNELS, MESSAGES = 1024, 64, 240


def main() -> None:
    """Run the stream and print the mean of its outputs."""
    blocks = np.random.default_rng(14).integers(-99, 99, (16, SAMPLES, CHANNELS), dtype=np.int16)
    packed = [zlib.compress(block.tobytes(), 1) for block in blocks]
    level, before = 0.0, mx.array(0.0)
    for index in range(MESSAGES):
        block = np.frombuffer(zlib.decompress(packed[index % 16]), dtype=np.int16).reshape(SAMPLES, CHANNELS)
        scaled = mx.array(block) / 64
        bounded = mx.tanh(scaled - scaled.mean(axis=1, keepdims=True))
        host = np.asarray(bounded)  # <- PL203
        limit = 1.2 * np.sqrt(np.mean(np.square(host), axis=0))
        clipped = mx.array(np.clip(host, -limit, limit))
        power = mx.square(clipped).mean()
        mx.async_eval(power)
        mx.eval(before)
        level += before.item()
        before = power
    print(f"result: {(level + before.item()) / MESSAGES:.4f}")


if __name__ == "__main__":
    main()
