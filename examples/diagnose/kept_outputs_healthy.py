"""Filter a stream and keep what a check at the end needs.

The sick twin keeps all outputs in a list, so that their memory is never used again.
The cure is to keep the one number of each output that the check needs, and to let the output go.
"""

from collections import deque

import mlx.core as mx
import numpy as np

SAMPLES, CHANNELS, MESSAGES = 512, 128, 400


def process(block: mx.array) -> mx.array:
    """Return the block, bounded and rectified."""
    return mx.abs(mx.tanh(block * 0.5))


def main() -> None:
    """Run the stream and print the mean level of all outputs."""
    blocks = np.random.default_rng(11).standard_normal((16, SAMPLES, CHANNELS), dtype=np.float32)
    pending: deque[mx.array] = deque()
    levels = []
    for index in range(MESSAGES):
        output = process(mx.array(blocks[index % 16]))
        level = output.mean()
        mx.async_eval(output, level)
        pending.append(level)
        if len(pending) > 1:
            done = pending.popleft()
            mx.eval(done)
            levels.append(done.item())
    print(f"{mx.get_active_memory() / 2**20:.0f} MiB are active after {MESSAGES} messages")
    print(f"result: {sum(levels) / len(levels):.4f}")


if __name__ == "__main__":
    main()
