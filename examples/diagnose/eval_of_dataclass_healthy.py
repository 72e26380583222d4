"""Filter messages that carry their array in a dataclass.

The sick twin gives the message itself to `mx.eval`, which ignores objects that are no list, tuple or dict.
The cure is to give it the array, `mx.async_eval(message.data)`, and to wait for that of the message before.
"""

from dataclasses import dataclass, replace

import mlx.core as mx
import numpy as np

SAMPLES, CHANNELS, MESSAGES, WRITTEN = 256, 128, 800, 100


@dataclass(frozen=True)
class Message:
    """A block of (samples, channels) and when it began."""

    data: mx.array
    time_s: float


class HighPass:
    """Subtracts a mean that follows the signal."""

    def __init__(self) -> None:
        self.mean = mx.zeros((CHANNELS,))

    def __call__(self, message: Message) -> Message:
        """Return the message without its slow part."""
        self.mean = 0.9 * self.mean + 0.1 * message.data.mean(axis=0)
        return replace(message, data=mx.tanh(message.data - self.mean))


def main() -> None:
    """Run the stream, write every WRITTEN-th message, and print the mean of what was written."""
    blocks = np.random.default_rng(10).normal(1.0, 1.0, (16, SAMPLES, CHANNELS)).astype(np.float32)
    high_pass, written, before = HighPass(), [], mx.array(0.0)
    for index in range(MESSAGES):
        message = high_pass(Message(mx.array(blocks[index % 16]), index * 0.01))
        mx.async_eval(message.data)
        if index % WRITTEN == WRITTEN - 1:
            mx.eval(message.data)
            written.append(np.array(message.data))
        mx.eval(before)
        before = message.data
    print(f"{mx.get_peak_memory() / 2**20:.1f} MiB at the peak")
    print(f"result: {np.abs(written).mean():.4f}")


if __name__ == "__main__":
    main()
