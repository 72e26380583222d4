"""Replay a file as fast as it goes, with a bound on how far the host runs ahead, and write what comes out."""

import tempfile
from pathlib import Path

import mlx.core as mx
import numpy as np
from placement_cli import RunAheadWindow

SAMPLES, CHANNELS, MESSAGES = 256, 256, 150


def main() -> None:
    """Filter every message and write the power of each channel to a file."""
    rng = np.random.default_rng(7)
    recording = [rng.standard_normal((SAMPLES, CHANNELS), dtype=np.float32) for _ in range(10)]
    spatial = mx.array(rng.standard_normal((CHANNELS, CHANNELS), dtype=np.float32) / 16)
    window = RunAheadWindow(2)
    waiting: list[mx.array] = []
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "power.bin").open("wb") as file:
        for number in range(MESSAGES):
            power = mx.square(mx.tanh(mx.array(recording[number % 10]) @ spatial)).mean(axis=0)
            window(power)
            waiting.append(power)
            if len(waiting) > 2:
                file.write(np.asarray(waiting.pop(0)).tobytes())
        for power in waiting:
            file.write(np.asarray(power).tobytes())
        print(f"{file.tell()} bytes written")


if __name__ == "__main__":
    main()
