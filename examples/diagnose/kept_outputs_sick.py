"""Filter a stream and keep the outputs for a check at the end.

Every output stays referenced by a list, so that no buffer can be used again: memory grows by one output a message and
each message pays for fresh pages. The check needs one number of each.
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
    outputs = []
    for index in range(MESSAGES):
        output = process(mx.array(blocks[index % 16]))
        mx.async_eval(output)
        pending.append(output)
        if len(pending) > 1:
            done = pending.popleft()
            mx.eval(done)
            outputs.append(done)  # <- PL901
    print(f"{mx.get_active_memory() / 2**20:.0f} MiB are active after {MESSAGES} messages")
    levels = [output.mean().item() for output in outputs]
    print(f"result: {sum(levels) / len(levels):.4f}")


if __name__ == "__main__":
    main()
