"""Train a linear model with a compiled step that reports its loss.

The sick twin evaluates the loss inside the compiled function, where arrays have no values yet.
The cure is to return the loss and to evaluate it, with the weights, where the step is called.
"""

import mlx.core as mx

EXAMPLES, FEATURES, STEPS, RATE = 1024, 256, 500, 0.02


def main() -> None:
    """Run the plain step and then the compiled one; print the last loss."""
    mx.random.seed(18)
    truth = mx.random.normal((FEATURES,))
    inputs = mx.random.normal((EXAMPLES, FEATURES))
    targets = inputs @ truth
    mx.eval(truth, inputs, targets)

    def step(weights: mx.array) -> tuple[mx.array, mx.array]:
        """Return the weights after one step, and the summed squared error before it."""
        residual = mx.addmm(targets, inputs, weights, beta=-1.0)
        loss = residual @ residual
        return mx.addmm(weights, residual, inputs, alpha=-RATE / EXAMPLES), loss

    for name, run in (("plain", step), ("compiled", mx.compile(step))):
        weights = mx.zeros((FEATURES,))
        for _ in range(STEPS):
            weights, loss = run(weights)
            mx.eval(weights, loss)
        print(f"{name}: {loss.item():.4f}")
    print(f"result: {loss.item():.4f}")


if __name__ == "__main__":
    main()
