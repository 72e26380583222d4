"""Keeping every so many samples."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
from hypothesis import given, settings
from hypothesis import strategies as st


@settings(deadline=None)
@given(st.integers(1, 9), st.lists(st.integers(0, 12), min_size=1, max_size=10))
def test_the_phase_runs_on_over_messages(stream: Any, factor: int, lengths: list[int]) -> None:
    """However the stream is cut, every so many samples of the whole are kept, beginning with the first."""
    node = stream("downsample", {"factor": factor}, [(12, 1)])
    total, kept = 0, []
    for length in lengths:
        x = mx.arange(total, total + length).astype(mx.float32)[:, None]
        kept += node.unit.step(x).flatten().tolist()
        total += length
    assert kept == list(range(0, total, factor))


def test_evaluating_a_withheld_output_forces_nothing_upstream(stream: Any, pending: Any) -> None:
    """A message that holds no sample to keep is answered with an array of no graph."""
    node = stream("downsample", {"factor": 10}, [(3, 2)])
    node.unit.step(*node.messages())
    lazy = mx.negative(*node.messages())
    output = node.unit.step(lazy)
    assert output.shape == (0, 2)
    mx.eval(mx.abs(output))
    assert pending(lazy) == ["Negative"]
