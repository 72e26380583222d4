"""Go through many recordings and collect a few numbers of each in a list."""

import mlx.core as mx
import numpy as np

SAMPLES, CHANNELS, RECORDINGS = 2048, 64, 80


def features(recording: mx.array) -> mx.array:
    """Return power, peak and roughness of each channel."""
    centred = recording - recording.mean(axis=0)
    spectrum = mx.abs(mx.fft.rfft(centred, axis=0))
    return mx.stack(
        [mx.square(centred).mean(axis=0), spectrum.max(axis=0), mx.abs(mx.diff(centred, axis=0)).mean(axis=0)]
    )


def main() -> None:
    """Collect the features and print their means."""
    rng = np.random.default_rng(5)
    collected = []
    for number in range(RECORDINGS):
        recording = mx.array(rng.standard_normal((SAMPLES, CHANNELS), dtype=np.float32))
        found = features(recording)
        mx.async_eval(found)
        collected.append(found)
        if number % 20 == 19:
            print(f"{number + 1} of {RECORDINGS} done")
    table = np.asarray(mx.stack(collected))
    print(table.shape, table.mean(axis=(0, 2)).round(2))


if __name__ == "__main__":
    main()
