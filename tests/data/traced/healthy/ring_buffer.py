"""Keep the last spectra of a stream in a ring buffer, and show their mean now and then."""

from collections import deque

import mlx.core as mx
import numpy as np

SAMPLES, CHANNELS, MESSAGES, KEPT = 512, 256, 160, 50


def main() -> None:
    """Run the stream."""
    rng = np.random.default_rng(10)
    history: deque[mx.array] = deque(maxlen=KEPT)
    for number in range(MESSAGES):
        message = mx.array(rng.standard_normal((SAMPLES, CHANNELS), dtype=np.float32))
        spectrum = mx.abs(mx.fft.fft(message, axis=0))
        mx.async_eval(spectrum)
        history.append(spectrum)
        if number % 40 == 39:
            print(number + 1, float(mx.stack(list(history)[-5:]).mean()))


if __name__ == "__main__":
    main()
