"""Smooth a stream of packed blocks and send a summary of it every so often.

The only evaluation stands behind the summary, which answers most messages with a fresh empty array. That one has no
edge to the smoothed signal: nothing upstream is evaluated, the state grows by each message, and each summary is late.
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
        self.state = 0.95 * self.state + 0.05 * block.mean(axis=0)  # <- PL101, PL103
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
        message = summarise(smooth(mx.array(block)))
        mx.eval(message)
        if message.size:
            sent.append(message.mean().item())
    print(f"{mx.get_peak_memory() / 2**20:.1f} MiB at the peak, {len(sent)} summaries")
    print(f"result: {sent[-1]:.4f}")


if __name__ == "__main__":
    main()
