"""Train a small classifier and sum its metrics over the epoch.

The sick twin leaves the sums of the metrics out of the evaluation of each step, so that they keep every batch alive.
The cure is to add them up before the evaluation and to name them in it.
"""

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx import optimizers

BATCH, FEATURES, HIDDEN, CLASSES, STEPS = 512, 32, 32, 256, 120


def loss_and_logits(model: nn.Module, inputs: mx.array, labels: mx.array) -> tuple[mx.array, mx.array]:
    """Return the mean cross entropy, and the logits for the metrics."""
    logits = model(inputs)
    return nn.losses.cross_entropy(logits, labels, reduction="mean"), logits


def main() -> None:
    """Train for one epoch and print the mean loss and accuracy."""
    mx.random.seed(4)
    rng = np.random.default_rng(4)
    model = nn.Sequential(nn.Linear(FEATURES, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, CLASSES))
    optimizer = optimizers.SGD(learning_rate=0.5)
    step = nn.value_and_grad(model, loss_and_logits)
    totals = mx.zeros((2,))
    for _ in range(STEPS):
        features = rng.standard_normal((BATCH, FEATURES), dtype=np.float32)
        inputs, labels = mx.array(features), mx.array(features.argmax(axis=1))
        (loss, logits), gradients = step(model, inputs, labels)
        optimizer.update(model, gradients)
        accuracy = (logits.argmax(axis=1) == labels).mean()
        totals = totals + mx.stack([loss, accuracy])
        mx.eval(model.parameters(), optimizer.state, totals)
    print(f"{mx.get_active_memory() / 2**20:.1f} MiB are active after {STEPS} steps")
    loss, accuracy = (totals / STEPS).tolist()
    print(f"result: {loss:.3f} {accuracy:.3f}")


if __name__ == "__main__":
    main()
