"""Time the band power of blocks of noise.

The sick twin makes the noise between the two readings of the clock, so that the generator is timed with the filter.
The cure is to make and evaluate each block before the clock is read.
"""

import statistics
import time

import mlx.core as mx

SAMPLES, CHANNELS, REPEATS = 512, 1024, 30


def band_power(block: mx.array) -> mx.array:
    """Return the power of each channel in decibels."""
    return 10 * mx.log10(mx.square(block).mean(axis=0))


def main() -> None:
    """Print the median time of a block, and the power of the last one."""
    mx.random.seed(2)
    mx.eval(band_power(mx.ones((SAMPLES, CHANNELS))))
    times = []
    for _ in range(REPEATS):
        block = mx.random.normal((SAMPLES, CHANNELS))
        mx.eval(block)
        start = time.perf_counter()
        power = band_power(block)
        mx.eval(power)
        times.append(time.perf_counter() - start)
    print(f"median of {REPEATS}: {statistics.median(times) * 1e3:.3f} ms")
    print(f"result: {power.mean().item():.4f}")


if __name__ == "__main__":
    main()
