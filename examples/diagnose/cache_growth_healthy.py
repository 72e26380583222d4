"""Process segments of a recording, each of a length of its own.

In the sick twin every segment needs buffers of a new size, and the allocator caches them all.
The cure is to pad each segment with zeros to one of a few lengths: the same buffers then serve again and again.
"""

import mlx.core as mx
import numpy as np

SEGMENTS, CHANNELS = 240, 64
LENGTHS = (3_000, 6_000, 12_000)


def rectify(segment: mx.array) -> mx.array:
    """Return the scaled and rectified segment of (samples, channels)."""
    return mx.abs(segment * 0.5)


def main() -> None:
    """Go through all segments and print what the allocator holds, and the sum of all samples."""
    # As high as it is by default on Metal and CUDA, so that the CPU build (32 MiB) shows the same.
    mx.set_cache_limit(1 << 30)
    rng = np.random.default_rng(13)
    recording = rng.standard_normal((12_000, CHANNELS), dtype=np.float32)
    before, total = mx.array(0.0), 0.0
    for length in rng.integers(1_000, 12_000, SEGMENTS).tolist():
        padded = next(size for size in LENGTHS if size >= length)
        segment = np.zeros((padded, CHANNELS), dtype=np.float32)
        segment[:length] = recording[:length]
        rectified = rectify(mx.array(segment))
        mx.async_eval(rectified)
        mx.eval(before)
        total += float(np.asarray(before).sum())
        before = rectified
    print(f"{mx.get_cache_memory() / 2**20:.0f} MiB are cached, {mx.get_peak_memory() / 2**20:.0f} MiB were in use")
    print(f"result: {total:.0f}")


if __name__ == "__main__":
    main()
