"""Train a small network on batches that were loaded before, and log the loss on every fiftieth step."""

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx import optimizers

BATCH, PIXELS, HIDDEN, CLASSES, BATCHES, STEPS = 128, 256, 64, 10, 10, 200


class Network(nn.Module):
    """Two hidden layers."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = [nn.Linear(PIXELS, HIDDEN), nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, CLASSES)]

    def __call__(self, x: mx.array) -> mx.array:
        """Return the logits of a batch."""
        for layer in self.layers[:-1]:
            x = nn.relu(layer(x))
        return self.layers[-1](x)


def loss_of(model: nn.Module, images: mx.array, labels: mx.array) -> mx.array:
    """Return the mean cross entropy."""
    return nn.losses.cross_entropy(model(images), labels, reduction="mean")


def main() -> None:
    """Train, and print what was logged and the accuracy."""
    mx.random.seed(1)
    rng = np.random.default_rng(1)
    labels = rng.integers(0, CLASSES, (BATCHES, BATCH))
    images = rng.standard_normal((BATCHES, BATCH, PIXELS)).astype(np.float32) + labels[..., None] / CLASSES
    batches = [(mx.array(x), mx.array(y)) for x, y in zip(images, labels, strict=True)]
    model = Network()
    mx.eval(model.parameters())
    optimizer = optimizers.Adam(learning_rate=1e-3)
    step = nn.value_and_grad(model, loss_of)
    for number in range(STEPS):
        loss, gradients = step(model, *batches[number % BATCHES])
        optimizer.update(model, gradients)
        mx.eval(model.parameters(), optimizer.state, loss)
        if number % 50 == 0:
            print(f"step {number}: loss {loss.item():.3f}")
    correct = [(model(x).argmax(axis=1) == y).mean().item() for x, y in batches]
    print(f"accuracy {sum(correct) / len(correct):.3f}")


if __name__ == "__main__":
    main()
