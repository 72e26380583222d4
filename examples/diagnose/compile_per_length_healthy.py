"""Encode sentences with a compiled model, padded to a few lengths.

In the sick twin nearly every sentence has a length of its own, and the model is traced anew for each.
The cure is to pad to a multiple of 64 and to mask what was added: four lengths are traced, and all others run.
"""

import mlx.core as mx
import numpy as np

WIDTH, LAYERS, SENTENCES, PADDED = 16, 24, 250, 64


class Encoder:
    """A stack of mixing layers; `traces` counts how often it was traced."""

    def __init__(self) -> None:
        self.weights = [mx.random.normal((WIDTH, WIDTH)) / WIDTH**0.5 for _ in range(LAYERS)]
        self.traces = 0
        mx.eval(self.weights)

    def __call__(self, tokens: mx.array, mask: mx.array) -> mx.array:
        """Return one vector for a sentence of (length, WIDTH); the mask of (1, length) is 1 where it has words."""
        self.traces += 1
        for layer in self.weights:
            tokens = mx.softmax(tokens @ layer, axis=-1)
        return (mask @ tokens)[0]


def main() -> None:
    """Encode all sentences and print how often the model was traced."""
    mx.random.seed(17)
    rng = np.random.default_rng(17)
    encoder = Encoder()
    encode = mx.compile(encoder)
    total = mx.zeros((WIDTH,))
    for length in rng.permutation(np.arange(4, 4 + SENTENCES)):
        sentence = np.zeros((-(-length // PADDED) * PADDED, WIDTH), dtype=np.float32)
        sentence[:length] = rng.standard_normal((length, WIDTH), dtype=np.float32)
        mask = (np.arange(len(sentence)) < length).astype(np.float32)[None]
        before = total
        total = total + encode(mx.array(sentence), mx.array(mask))
        mx.async_eval(total)
        mx.eval(before)
    print(f"{encoder.traces} traces for {SENTENCES} sentences")
    print(f"result: {total.max().item():.2f}")


if __name__ == "__main__":
    main()
