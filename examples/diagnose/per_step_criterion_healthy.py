"""Generate tokens one step ahead, with a rule that sharpens the distribution where the model is unsure.

The sick twin reads a value of the newest step to decide, and so waits for the device in each step.
The cure is to leave the decision on the device with `mx.where`: the host only reads the token of the step before.
"""

from itertools import pairwise

import mlx.core as mx
import numpy as np

VOCABULARY, WIDTH, TOKENS, UNSURE = 512, 256, 250, 0.05


class Model:
    """A recurrent stand-in for a language model."""

    def __init__(self) -> None:
        self.embed = mx.random.normal((VOCABULARY, WIDTH))
        self.mix = mx.random.normal((WIDTH, WIDTH)) / WIDTH**0.5
        self.head = mx.random.normal((WIDTH, VOCABULARY)) / WIDTH**0.5
        self.state = mx.zeros((32, WIDTH))
        mx.eval(self.embed, self.mix, self.head, self.state)

    def __call__(self, token: mx.array) -> mx.array:
        """Return the logits after one token."""
        self.state = mx.tanh(self.state @ self.mix + self.embed[token])
        return 2 * self.state.mean(axis=0) @ self.head


def step(model: Model, token: mx.array) -> mx.array:
    """Return the next token."""
    logits = model(token)
    top = mx.softmax(logits).max()
    logits = mx.where(top < UNSURE, logits * 2, logits)
    return (logits + mx.random.gumbel(logits.shape)).argmax()


def repeats(history: list[int]) -> int:
    """Count how often the last two tokens came before."""
    last = tuple(history[-2:])
    return sum(pair == last for pair in pairwise(history)) - 1


def main() -> None:
    """Generate and print how often the text repeats itself and what it sums up to."""
    mx.random.seed(7)
    model = Model()
    history = np.random.default_rng(7).integers(0, VOCABULARY, 12_000).tolist()
    token, seen = step(model, mx.array(1)), 0
    mx.async_eval(token)
    for _ in range(TOKENS):
        following = step(model, token)
        mx.async_eval(following)
        history.append(token.item())
        seen += repeats(history)
        token = following
    print(f"result: {seen} {sum(history[-TOKENS:])}")


if __name__ == "__main__":
    main()
