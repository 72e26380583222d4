"""A source brings fifty messages a second; each is filtered, and its values go to the screen as NumPy."""

import time

import mlx.core as mx
import numpy as np

RATE, SAMPLES, CHANNELS, MESSAGES, TAPS = 50, 20, 64, 50, 9


def main() -> None:
    """Run for a second and print the last values."""
    rng = np.random.default_rng(6)
    taps = mx.array(np.hanning(TAPS).astype(np.float32))
    before = mx.zeros((TAPS - 1, CHANNELS))
    shown = np.zeros((SAMPLES, CHANNELS), np.float32)
    start = time.monotonic()
    for number in range(MESSAGES):
        time.sleep(max(0.0, start + number / RATE - time.monotonic()))
        message = mx.array(rng.standard_normal((SAMPLES, CHANNELS), dtype=np.float32))
        window = mx.concatenate([before, message])
        before = window[SAMPLES:]
        filtered = sum(taps[tap] * window[tap : tap + SAMPLES] for tap in range(TAPS))
        shown = np.asarray(mx.abs(filtered))
    print(f"{time.monotonic() - start:.1f} s, last row {shown[-1, :4].round(2)}")


if __name__ == "__main__":
    main()
