"""Prepare windows of a signal in one thread and score them in another.

The sick twin hands lazy arrays to the worker, which cannot evaluate what another thread built.
The cure is to submit each window with `mx.async_eval` in the thread that built it: the worker may then wait for it.
"""

import threading
from queue import SimpleQueue

import mlx.core as mx
import numpy as np

SAMPLES, CHANNELS, WINDOWS = 512, 256, 120


def score(windows: "SimpleQueue[mx.array | None]", scores: list[float]) -> None:
    """Add the score of each window until there is no more."""
    while (window := windows.get()) is not None:
        mx.eval(window)
        scores.append(float(np.abs(np.asarray(window)).mean()))


def main() -> None:
    """Feed the worker and print how many windows it scored, and their mean score."""
    rng = np.random.default_rng(9)
    windows: SimpleQueue[mx.array | None] = SimpleQueue()
    scores: list[float] = []
    worker = threading.Thread(target=score, args=(windows, scores), name="scorer")
    worker.start()
    for _ in range(WINDOWS):
        samples = rng.standard_normal((SAMPLES, CHANNELS), dtype=np.float32)
        window = mx.tanh(mx.array(samples) * 0.5)
        mx.async_eval(window)
        windows.put(window)
    windows.put(None)
    worker.join()
    print(f"result: {len(scores)} {sum(scores) / max(len(scores), 1):.4f}")


if __name__ == "__main__":
    main()
