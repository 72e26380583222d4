"""Where frames of a stream begin and end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from placement_cli.operators.framing import count_frames, largest_carry

lengths = st.integers(1, 40)


@given(st.integers(0, 200), lengths, lengths)
def test_frames_are_those_that_fit(samples: int, length: int, hop: int) -> None:
    """The last frame ends within the samples, one more would not."""
    count = count_frames(samples, length, hop)
    starts = range(0, samples - length + 1, hop)
    assert count == len(starts)


@given(lengths, lengths, lengths)
def test_the_largest_carry_is_the_most_that_ever_waits(message: int, length: int, hop: int) -> None:
    """Feeding equal messages for a full cycle, no more than that is left over, and that much is."""
    hop = min(hop, length)
    waiting, seen = 0, []
    for _ in range(2 * length + hop):
        waiting += message
        waiting -= count_frames(waiting, length, hop) * hop
        seen.append(waiting)
    assert max(seen) == largest_carry(message, length, hop)
