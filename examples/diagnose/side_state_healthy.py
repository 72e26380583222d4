"""Stream blocks through a limiting rectifier that also tracks the mean of each channel.

No output depends on the running mean, so that evaluating outputs alone leaves it lazy and growing.
The cure is to name it in the evaluation of each message, beside the output: no more is computed, only sooner.
"""

from collections import deque

import mlx.core as mx
import numpy as np

SAMPLES, CHANNELS, MESSAGES = 256, 128, 900


class Rectifier:
    """Rectifies blocks of (samples, channels); `mean` is there for whoever asks at the end."""

    def __init__(self) -> None:
        self.mean = mx.zeros((CHANNELS,))

    def __call__(self, block: mx.array) -> mx.array:
        """Return the limited, rectified block and bring the mean up to date."""
        self.mean = 0.99 * self.mean + 0.01 * block.mean(axis=0)
        return mx.abs(mx.tanh(block))


def main() -> None:
    """Run the stream and print the power that came out and the mean that is left."""
    blocks = np.random.default_rng(3).normal(1.0, 1.0, (16, SAMPLES, CHANNELS)).astype(np.float32)
    rectify, pending, power = Rectifier(), deque(), 0.0
    for index in range(MESSAGES):
        output = rectify(mx.array(blocks[index % 16])).mean()
        mx.async_eval(output, rectify.mean)
        pending.append(output)
        if len(pending) > 1:
            done = pending.popleft()
            mx.eval(done)
            power += done.item()
    print(f"{mx.get_active_memory() / 2**20:.1f} MiB are active after {MESSAGES} messages")
    print(f"result: {power / (MESSAGES - 1):.4f} {rectify.mean.mean().item():.4f}")


if __name__ == "__main__":
    main()
