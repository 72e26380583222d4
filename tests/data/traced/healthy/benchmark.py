"""Time a layer as the documentation of MLX advises: inputs made before, warm-up, a wait inside the clock."""

import time
from statistics import median

import mlx.core as mx

WARM_UP, TRIALS = 3, 20


def layer(x: mx.array, weights: mx.array) -> mx.array:
    """Return what is timed."""
    return mx.softmax(mx.maximum(x @ weights, 0), axis=-1)


def timed(rows: int, width: int) -> float:
    """Return the median time of one call in seconds."""
    x, weights = mx.random.normal((rows, width)), mx.random.normal((width, width))
    mx.eval(x, weights)
    for _ in range(WARM_UP):
        mx.eval(layer(x, weights))
    mx.synchronize()
    times = []
    for _ in range(TRIALS):
        start = time.perf_counter()
        mx.eval(layer(x, weights))
        times.append(time.perf_counter() - start)
    return median(times)


def throughput(rows: int, width: int) -> float:
    """Return calls per second when they are submitted one after another and the clock waits for the last."""
    x, weights = mx.random.normal((rows, width)), mx.random.normal((width, width))
    mx.eval(x, weights)
    start = time.perf_counter()
    for _ in range(TRIALS):
        mx.async_eval(layer(x, weights))
    mx.synchronize()
    return TRIALS / (time.perf_counter() - start)


def main() -> None:
    """Print a table."""
    mx.random.seed(4)
    for rows in (32, 128, 512):
        print(f"{rows:5d} rows: {timed(rows, 256) * 1e3:8.3f} ms, {throughput(rows, 256):8.0f} calls/s")


if __name__ == "__main__":
    main()
