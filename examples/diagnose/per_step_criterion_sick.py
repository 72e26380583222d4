"""Generate tokens one step ahead, with a rule that sharpens the distribution where the model is unsure.

The next step is submitted before the token of this one is read, but the rule asks for a value of the newest step: each
step waits for the device before the host goes on. The lookahead is still in the code and no longer does anything.
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
    if top.item() < UNSURE:  # <- PL203
        logits = logits * 2
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
