"""`boundary` and `ingest`: what it costs to hand values from the device to NumPy and back, by their size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placement_cli.measure.evaluation.observation import Observation
from placement_cli.measure.evaluation.rounds import Site, Trial, repeats_within, take_rounds

BOUNDARY, INGEST = "boundary", "ingest"
SHAPES = ((1, 64), (30, 64), (64, 256), (128, 512), (256, 1024), (512, 1024))
"""Samples and channels of the messages, from 256 B to 2 MiB of float32."""
MOST_CALLS = 256


def measure_boundary(site: Site) -> list[Observation]:
    """Time `numpy.asarray` of evaluated arrays; seconds a call, by `bytes`."""
    import mlx.core as mx
    import numpy as np

    return _measure(BOUNDARY, site, mx.array, np.asarray)


def measure_ingest(site: Site) -> list[Observation]:
    """Time `mlx.core.array` of NumPy arrays; seconds a call, by `bytes`."""
    import mlx.core as mx

    return _measure(INGEST, site, lambda message: message, mx.array)


def _measure(
    experiment: str, site: Site, prepare: Callable[[Any], Any], convert: Callable[[Any], Any]
) -> list[Observation]:
    import numpy as np

    messages = [np.ones(shape, dtype=np.float32) for shape in SHAPES]
    trials = [
        Trial({"bytes": message.nbytes}, _converting(experiment, site, prepare(message), convert))
        for message in messages
    ]
    return take_rounds(experiment, trials, site)


def _converting(
    experiment: str, site: Site, value: Any, convert: Callable[[Any], Any]
) -> Callable[[], dict[str, float]]:
    now, count = site.clock.now, repeats_within(site, lambda: convert(value), MOST_CALLS)

    def take() -> dict[str, float]:
        began = now()
        for _ in range(count):
            convert(value)
        return {experiment: (now() - began) / count}

    return take
