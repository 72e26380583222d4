"""Build a model of many layers and evaluate it once."""

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten

LAYERS, WIDTH, HEADS, LENGTH = 40, 128, 4, 64


class Model(nn.Module):
    """A stack of transformer layers."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(1000, WIDTH)
        self.layers = [nn.TransformerEncoderLayer(WIDTH, HEADS) for _ in range(LAYERS)]
        self.norm = nn.LayerNorm(WIDTH)

    def __call__(self, tokens: mx.array) -> mx.array:
        """Return the logits of every token."""
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, None)
        return self.embedding.as_linear(self.norm(x))


def main() -> None:
    """Print the size of the model, and its favourite tokens after a prompt."""
    mx.random.seed(8)
    model = Model()
    parameters = sum(array.size for _, array in tree_flatten(model.parameters()))
    print(f"{parameters / 1e6:.1f} million parameters")
    logits = model(mx.arange(LENGTH)[None])
    best = mx.argsort(-logits[0, -1])[:5]
    mx.eval(best)
    print(best.tolist())


if __name__ == "__main__":
    main()
