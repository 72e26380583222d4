"""Encode sentences with a compiled model, each at its own length.

A compiled function is traced once for each shape it meets, and keeps every trace. Here each sentence brings a new one:
the host takes several times as long for each call as for a known one, and longer than without `mx.compile`.
"""

import mlx.core as mx
import numpy as np

WIDTH, LAYERS, SENTENCES = 16, 24, 250


class Encoder:
    """A stack of mixing layers; `traces` counts how often it was traced."""

    def __init__(self) -> None:
        self.weights = [mx.random.normal((WIDTH, WIDTH)) / WIDTH**0.5 for _ in range(LAYERS)]
        self.traces = 0
        mx.eval(self.weights)

    def __call__(self, tokens: mx.array) -> mx.array:
        """Return one vector for a sentence of (length, WIDTH)."""
        self.traces += 1
        for layer in self.weights:
            tokens = mx.softmax(tokens @ layer, axis=-1)
        return tokens.sum(axis=0)


def main() -> None:
    """Encode all sentences and print how often the model was traced."""
    mx.random.seed(17)
    rng = np.random.default_rng(17)
    encoder = Encoder()
    encode = mx.compile(encoder)  # <- PL901
    total = mx.zeros((WIDTH,))
    for length in rng.permutation(np.arange(4, 4 + SENTENCES)):
        sentence = rng.standard_normal((length, WIDTH), dtype=np.float32)
        before = total
        total = total + encode(mx.array(sentence))
        mx.async_eval(total)
        mx.eval(before)
    print(f"{encoder.traces} traces for {SENTENCES} sentences")
    print(f"result: {total.max().item():.2f}")


if __name__ == "__main__":
    main()
