"""The messages a case is fed: the same for every arm, made once and read again and again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from zlib import crc32

from placement_cli.graph.pipeline import Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

POOL_MESSAGES = 16
"""Distinct messages of a pool when they all have one length."""
JITTER_POOL_MESSAGES = 48
"""Distinct messages when the length jitters: enough that short and long ones are spread evenly."""
POOL_BYTES = 64 * 2**20
"""A pool holds no more than this, but always two messages."""
FED_AS = {"float32": "float32", "float16": "float16", "bfloat16": "float32"}
"""Element type of the NumPy messages by that of the source; NumPy has no bfloat16."""


def pool_size(source: Source) -> int:
    """Return how many distinct messages the pool of `source` holds."""
    jitters = source.samples_low != source.samples_high
    wanted = JITTER_POOL_MESSAGES if jitters else POOL_MESSAGES
    return max(2, min(wanted, POOL_BYTES // replace(source, dtype=FED_AS[source.dtype]).message_bytes))


def message_pool(source: Source, seed: int) -> list[NDArray[Any]]:
    """Return the messages: arrays of samples x channels, standard normal, equal for equal seeds.

    A bfloat16 source is fed float32 messages, which become bfloat16 when they are ingested.
    """
    import numpy as np

    rng = np.random.default_rng([seed, crc32(source.label.encode())])
    lengths = _lengths(source, pool_size(source), rng)
    return [
        rng.standard_normal((int(n), source.channels), dtype=np.float32).astype(FED_AS[source.dtype]) for n in lengths
    ]


def _lengths(source: Source, count: int, rng: Any) -> list[int]:
    """Spread the lengths evenly over the range, in random order."""
    import numpy as np

    spread = np.linspace(source.samples_low, source.samples_high, count).round().astype(int)
    lengths: list[int] = rng.permutation(spread).tolist()
    return lengths


def cycle_messages(pool: list[NDArray[Any]], count: int) -> list[NDArray[Any]]:
    """Return `count` messages, going round the pool as often as needed."""
    rounds, rest = divmod(count, len(pool))
    return pool * rounds + pool[:rest]
