"""Filter a stream and remember the last sample of each block for a plot.

The sick twin keeps NumPy views of whole blocks, and each view pins the MLX buffer it looks at.
The cure is to copy the part that is needed: the view dies at once and its buffer is used again.
"""

import mlx.core as mx
import numpy as np

SAMPLES, CHANNELS, MESSAGES = 512, 128, 400


def process(block: mx.array) -> mx.array:
    """Return the block, scaled and bounded."""
    return mx.tanh(block * 0.5)


def main() -> None:
    """Run the stream and print the mean of the last sample of every block, which is what is plotted."""
    blocks = np.random.default_rng(12).standard_normal((16, SAMPLES, CHANNELS), dtype=np.float32)
    history = []
    before = process(mx.array(blocks[0]))
    mx.async_eval(before)
    for index in range(1, MESSAGES):
        output = process(mx.array(blocks[index % 16]))
        mx.async_eval(output)
        mx.eval(before)
        history.append(np.asarray(before)[-1].copy())
        before = output
    print(f"{mx.get_active_memory() / 2**20:.0f} MiB are active after {MESSAGES} messages")
    print(f"result: {np.mean(history):.4f}")


if __name__ == "__main__":
    main()
