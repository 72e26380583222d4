"""Generate tokens with a small decoder: the next step is submitted before the token of this one is read."""

from collections.abc import Iterator

import mlx.core as mx
import mlx.nn as nn

VOCABULARY, WIDTH, LAYERS, TOKENS = 512, 128, 4, 150


class Block(nn.Module):
    """Attention with a cache of keys and values, and a feed-forward part."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.up = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.down = nn.Linear(4 * WIDTH, WIDTH, bias=False)

    def __call__(self, x: mx.array, cache: dict[str, mx.array]) -> mx.array:
        """Return the hidden state of the new tokens, and add their keys and values to the cache."""
        q, k, v = mx.split(self.qkv(self.norm(x)), 3, axis=-1)
        if cache:
            k, v = mx.concatenate([cache["k"], k], axis=1), mx.concatenate([cache["v"], v], axis=1)
        cache["k"], cache["v"] = k, v
        scores = mx.softmax((q @ k.transpose(0, 2, 1)) * WIDTH**-0.5, axis=-1)
        x = x + self.out(scores @ v)
        return x + self.down(nn.gelu(self.up(self.norm(x))))


class Decoder(nn.Module):
    """A stack of blocks between two embeddings."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = [Block() for _ in range(LAYERS)]
        self.norm = nn.RMSNorm(WIDTH)

    def __call__(self, tokens: mx.array, caches: list[dict[str, mx.array]]) -> mx.array:
        """Return the logits of the last token."""
        x = self.embedding(tokens)
        for block, cache in zip(self.blocks, caches, strict=True):
            x = block(x, cache)
        return self.embedding.as_linear(self.norm(x[:, -1]))


def generate(model: Decoder, prompt: list[int]) -> Iterator[int]:
    """Yield tokens; the step after each is under way while it is read."""
    caches: list[dict[str, mx.array]] = [{} for _ in model.blocks]
    token = mx.random.categorical(model(mx.array([prompt]), caches))
    mx.async_eval(token)
    for _ in range(TOKENS):
        following = mx.random.categorical(model(token[:, None], caches))
        mx.async_eval(following)
        yield int(token.item())
        token = following


def main() -> None:
    """Generate and print the tokens."""
    mx.random.seed(2)
    model = Decoder()
    mx.eval(model.parameters())
    text = [f"<{token}>" for token in generate(model, [1, 2, 3, 4])]
    print("".join(text))


if __name__ == "__main__":
    main()
