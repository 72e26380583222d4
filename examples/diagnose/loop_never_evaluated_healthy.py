"""Fit a linear regression by stochastic gradient descent.

The sick twin describes thousands of steps and computes none before the final print.
The cure is to submit each step with `mx.async_eval`, and to wait for the step before it so that work never piles up.
"""

import mlx.core as mx
import numpy as np

EXAMPLES, FEATURES, BATCH, STEPS, RATE = 4096, 64, 128, 2500, 0.02


def main() -> None:
    """Recover the weights that made the data and print how far off the fit is."""
    rng = np.random.default_rng(6)
    truth = rng.standard_normal(FEATURES, dtype=np.float32)
    inputs = rng.standard_normal((EXAMPLES, FEATURES), dtype=np.float32)
    targets = inputs @ truth + 0.01 * rng.standard_normal(EXAMPLES, dtype=np.float32)
    weights = mx.zeros((FEATURES,))
    for _ in range(STEPS):
        drawn = rng.integers(0, EXAMPLES, BATCH)
        batch = mx.array(inputs[drawn])
        residual = batch @ weights - mx.array(targets[drawn])
        before = weights
        weights = weights - RATE / BATCH * (residual @ batch)
        mx.async_eval(weights)
        mx.eval(before)
    print(f"{mx.get_active_memory() / 2**20:.1f} MiB are active after {STEPS} steps")
    print(f"result: {mx.abs(weights - mx.array(truth)).max().item():.5f}")


if __name__ == "__main__":
    main()
