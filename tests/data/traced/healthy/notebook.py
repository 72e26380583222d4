"""Run cells one after another in one namespace, as a notebook does, with the last expression shown."""

import ast
from typing import Any

CELLS = [
    """
import time
import mlx.core as mx
import numpy as np
mx.random.seed(9)
""",
    """
x = mx.random.normal((400, 300))
x.shape
""",
    """
y = x @ x.T
y[:2, :3]
""",
    """
start = time.time()
values = mx.linalg.eigvalsh(y, stream=mx.cpu)
mx.eval(values)
print(f"{time.time() - start:.2f} s")
""",
    "values[-5:]",
    """
means = []
for _ in range(12):
    sample = x[mx.random.randint(0, 400, (100,))]
    means.append(sample.mean().item())
np.std(means)
""",
    """
centred = x - x.mean(axis=0)
covariance = centred.T @ centred / 399
float(mx.trace(covariance))
""",
    "np.array(covariance)[:2, :2]",
]


def run(cell: str, number: int, names: dict[str, Any]) -> None:
    """Run one cell and show the value of its last line where that is an expression."""
    tree = ast.parse(cell)
    file = f"<cell {number}>"
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, file, "exec"), names)
    if isinstance(last, ast.Expr):
        print(repr(eval(compile(ast.Expression(last.value), file, "eval"), names)))


def main() -> None:
    """Run all cells."""
    names: dict[str, Any] = {}
    for number, cell in enumerate(CELLS, 1):
        run(cell, number, names)


if __name__ == "__main__":
    main()
