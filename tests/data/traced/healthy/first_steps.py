"""Try MLX out: print shapes, types and a few values on the way."""

import mlx.core as mx
import mlx.nn as nn
import numpy as np


def main() -> None:
    """Print this and that."""
    a = mx.array([[1.0, 2.0], [3.0, 4.0]])
    print("a", a, a.shape, a.dtype)
    print("sum", a.sum().item(), "mean", float(a.mean()))
    if (a > 3).any():
        print("some are above three")
    b = mx.random.normal((64, 32))
    print("b", b.shape, b[:2, :3].tolist())
    for power in range(1, 6):
        print(f"moment {power}: {(b**power).mean().item():.3f}")
    layer = nn.Linear(32, 8)
    out = layer(b)
    print("out", out.shape, "weight", layer.weight.shape)
    print(np.array(out)[:2].round(2))
    gradient = mx.grad(lambda w: mx.square(b @ w).mean())(mx.ones((32, 4)))
    print("gradient", gradient[:3])
    for size in (16, 64, 256, 512):
        square = mx.random.normal((size, size))
        print(size, mx.linalg.norm(square @ square).item())


if __name__ == "__main__":
    main()
