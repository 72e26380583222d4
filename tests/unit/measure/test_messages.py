"""The messages a case is fed: equal for equal seeds, of every length in the range, within bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.graph.pipeline import Source
from placement_cli.measure.messages import (
    JITTER_POOL_MESSAGES,
    POOL_BYTES,
    POOL_MESSAGES,
    cycle_messages,
    message_pool,
    pool_size,
)

DTYPES = ("float32", "float16", "bfloat16")


def test_equal_seeds_give_equal_messages() -> None:
    """All arms are fed the same values."""
    source = Source(4, 9, 3)
    for one, other in zip(message_pool(source, 7), message_pool(source, 7), strict=True):
        np.testing.assert_array_equal(one, other)


def test_other_seeds_and_shapes_give_other_messages() -> None:
    """The seed and the shape of the source both count."""
    source = Source(8, 8, 3)
    first = message_pool(source, 1)[0]
    assert not np.array_equal(first, message_pool(source, 2)[0])
    assert not np.array_equal(first[:, :2], message_pool(Source(8, 8, 2), 1)[0])


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_element_type_does_not_change_the_values(dtype: str) -> None:
    """Messages of any element type are roundings of the same numbers."""
    message = message_pool(Source(8, 8, 3, dtype), 1)[0]
    assert message.dtype == (np.float16 if dtype == "float16" else np.float32)
    np.testing.assert_allclose(message, message_pool(Source(8, 8, 3), 1)[0], rtol=1e-3, atol=1e-4)


def test_one_length_gives_one_length() -> None:
    """A source that does not jitter gives messages of its length."""
    pool = message_pool(Source(8, 8, 3), 1)
    assert len(pool) == POOL_MESSAGES
    assert {message.shape for message in pool} == {(8, 3)}


@given(st.integers(1, 200), st.integers(1, 200), st.integers(0, 1000))
@settings(deadline=None)
def test_lengths_spread_over_the_range(low: int, more: int, seed: int) -> None:
    """Lengths reach from the shortest to the longest, no gap far wider than another, in mixed order."""
    source = Source(low, low + more, 1)
    lengths = [len(message) for message in message_pool(source, seed)]
    assert len(lengths) == JITTER_POOL_MESSAGES
    assert (min(lengths), max(lengths)) == (low, low + more)
    gaps = np.diff(sorted(lengths))
    assert max(gaps) <= more / (JITTER_POOL_MESSAGES - 1) + 1


def test_lengths_come_in_random_order() -> None:
    """Short and long messages are mixed, so that no stretch of a sample is cheap."""
    lengths = [len(message) for message in message_pool(Source(1, 400, 1), 3)]
    assert lengths != sorted(lengths)
    assert lengths != sorted(lengths, reverse=True)


@given(st.integers(1, 2**14), st.integers(1, 2**14), st.sampled_from(DTYPES))
@settings(deadline=None)
def test_pool_bytes_are_bounded(samples: int, channels: int, dtype: str) -> None:
    """A pool holds no more bytes than allowed as NumPy keeps them, but always two messages."""
    source = Source(samples, samples, channels, dtype)
    count = pool_size(source)
    held = count * samples * channels * (2 if dtype == "float16" else 4)
    assert 2 <= count <= POOL_MESSAGES
    assert count == 2 or held <= POOL_BYTES


def test_cycle_goes_round() -> None:
    """More messages than the pool has are the pool again and again, from its beginning."""
    pool = message_pool(Source(2, 2, 1), 0)[:3]
    cycled = cycle_messages(pool, 7)
    assert [id(message) for message in cycled] == [id(pool[number % 3]) for number in range(7)]
    assert cycle_messages(pool, 0) == []
    assert len(cycle_messages(pool, 2)) == 2
