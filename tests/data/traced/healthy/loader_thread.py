"""A thread prepares batches and evaluates them before it hands them over; the main thread classifies them."""

import queue
import threading

import mlx.core as mx
import numpy as np

BATCH, FEATURES, CLASSES, BATCHES = 128, 512, 64, 120


def load(batches: "queue.Queue[mx.array | None]") -> None:
    """Make normalised batches, as if they were read from files."""
    rng = np.random.default_rng(3)
    for _ in range(BATCHES):
        raw = mx.array(rng.standard_normal((BATCH, FEATURES), dtype=np.float32))
        batch = (raw - raw.mean(axis=1, keepdims=True)) / mx.sqrt(raw.var(axis=1, keepdims=True) + 1e-5)
        mx.eval(batch)
        batches.put(batch)
    batches.put(None)


def main() -> None:
    """Classify every batch and print how often each of the first classes was chosen."""
    mx.random.seed(3)
    weights = mx.random.normal((FEATURES, CLASSES))
    counts = mx.zeros((CLASSES,))
    mx.eval(weights, counts)
    batches: queue.Queue[mx.array | None] = queue.Queue(maxsize=4)
    loader = threading.Thread(target=load, args=(batches,), name="loader")
    loader.start()
    while (batch := batches.get()) is not None:
        best = (batch @ weights).argmax(axis=1)
        counts = counts + (best[:, None] == mx.arange(CLASSES)).sum(axis=0)
        mx.async_eval(counts)
    loader.join()
    print(counts.tolist()[:8])


if __name__ == "__main__":
    main()
