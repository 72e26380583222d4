"""Smooth a stream of packed blocks and send a summary of it every so often.

The sick twin evaluates the summary alone, which mostly is a fresh empty array that depends on nothing.
The cure is to evaluate the state of the stage in front together with it, one message behind so that nobody waits.
"""

import zlib

import mlx.core as mx
import numpy as np

SAMPLES, CHANNELS, MESSAGES, EVERY = 256, 64, 1500, 500


class Smoother:
    """An exponential mean over messages."""

    def __init__(self) -> None:
        self.state = mx.zeros((CHANNELS,))

    def __call__(self, block: mx.array) -> mx.array:
        """Return the mean so far, of shape (channels,)."""
        self.state = 0.95 * self.state + 0.05 * block.mean(axis=0)
        return self.state


class Summary:
    """Emits the smoothed value at every EVERY-th message, and nothing in between."""

    def __init__(self) -> None:
        self.seen = 0

    def __call__(self, value: mx.array) -> mx.array:
        """Return one row, or an array without rows."""
        self.seen += 1
        if self.seen % EVERY:
            return mx.zeros((0, CHANNELS))
        return value.reshape(1, CHANNELS)


def main() -> None:
    """Run the stream and print the last summary."""
    blocks = np.random.default_rng(5).integers(0, 99, (16, SAMPLES, CHANNELS), dtype=np.int16)
    packed = [zlib.compress(block.tobytes(), 1) for block in blocks]
    smooth, summarise, sent = Smoother(), Summary(), []
    for index in range(MESSAGES):
        block = np.frombuffer(zlib.decompress(packed[index % 16]), dtype=np.int16).reshape(SAMPLES, CHANNELS)
        before = smooth.state
        message = summarise(smooth(mx.array(block)))
        mx.async_eval(message, smooth.state)
        mx.eval(before)
        if message.size:
            sent.append(message.mean().item())
    print(f"{mx.get_peak_memory() / 2**20:.1f} MiB at the peak, {len(sent)} summaries")
    print(f"result: {sent[-1]:.4f}")


if __name__ == "__main__":
    main()
