"""Overlapping windows."""

from __future__ import annotations

from typing import Any

import mlx.core as mx


def _message(*values: float) -> mx.array:
    return mx.array([[value] for value in values])


def test_windows_overlap_and_span_messages(stream: Any) -> None:
    """Windows of 3, 2 apart, begin at every second sample of the stream."""
    node = stream("window", {"length": 3, "hop": 2}, [(4, 1)])
    assert node.unit.step(_message(0, 1)).shape == (0, 3, 1)
    assert node.unit.step(_message(2, 3, 4, 5))[:, :, 0].tolist() == [[0, 1, 2], [2, 3, 4]]
    (waiting,) = node.unit.state()
    assert waiting.tolist() == [[4.0], [5.0]]


def test_windows_that_touch_leave_nothing(stream: Any) -> None:
    """With a hop as long as the window nothing is carried when messages end with one."""
    node = stream("window", {"length": 2, "hop": 2}, [(4, 1)])
    assert node.unit.step(_message(0, 1, 2, 3))[:, :, 0].tolist() == [[0, 1], [2, 3]]
    assert sum(array.nbytes for array in node.unit.state()) == 0


def test_messages_that_lie_scattered_in_memory_are_windowed_right(stream: Any) -> None:
    """The first message may be a slice with gaps, of one channel or more."""
    for channels in (1, 2):
        node = stream("window", {"length": 2, "hop": 1}, [(3, channels)])
        source = mx.arange(6 * channels).astype(mx.float32).reshape(6, channels)
        windows = node.unit.step(source[::2])
        assert windows[:, 0].tolist() == source[::2][:2].tolist()
        assert windows[:, 1].tolist() == source[::2][1:].tolist()


def test_evaluating_a_withheld_output_forces_nothing_upstream(stream: Any, pending: Any) -> None:
    """The answer belongs to no graph, the samples that wait do."""
    node = stream("window", {"length": 9, "hop": 1}, [(4, 1)])
    lazy = mx.negative(_message(1, 2, 3, 4))
    output = node.unit.step(lazy)
    mx.eval(output, mx.abs(output))
    assert pending(lazy) == ["Negative"]
    assert "Negative" in pending(*node.unit.state())
