"""Process segments of a recording, each of a length of its own.

The allocator keeps freed buffers for arrays of about the same size. When every segment has a new length, most buffers
fit nothing that comes later: the cache grows by almost each of them, though very little is ever in use at one time.
"""

import mlx.core as mx
import numpy as np

SEGMENTS, CHANNELS = 240, 64


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
        rectified = rectify(mx.array(recording[:length]))
        mx.async_eval(rectified)  # <- PL901
        mx.eval(before)
        total += float(np.asarray(before).sum())
        before = rectified
    print(f"{mx.get_cache_memory() / 2**20:.0f} MiB are cached, {mx.get_peak_memory() / 2**20:.0f} MiB were in use")
    print(f"result: {total:.0f}")


if __name__ == "__main__":
    main()
