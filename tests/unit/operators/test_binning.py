"""Means over bins."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np


def _message(*values: float) -> mx.array:
    return mx.array([[value] for value in values])


def test_a_bin_spans_messages(stream: Any) -> None:
    """Samples that fill no bin wait for those of later messages."""
    node = stream("bin", {"size": 4}, [(3, 1)])
    assert node.unit.step(_message(1, 2, 3)).shape == (0, 1)
    assert node.unit.step(_message(6, 8, 8)).tolist() == [[3.0]]
    (waiting,) = node.unit.state()
    assert waiting.tolist() == [[8.0], [8.0]]


def test_a_message_may_fill_several_bins_and_leave_nothing(stream: Any) -> None:
    """Without a rest nothing is carried."""
    node = stream("bin", {"size": 2}, [(4, 1)])
    assert node.unit.step(_message(1, 3, 5, 7)).tolist() == [[2.0], [6.0]]
    assert node.unit.state() == ()


def test_evaluating_a_withheld_output_forces_nothing_upstream(stream: Any, pending: Any) -> None:
    """The answer belongs to no graph, and the samples that wait keep theirs and grow it."""
    node = stream("bin", {"size": 50}, [(4, 1)])
    for count in (1, 2, 3):
        lazy = mx.negative(_message(1, 2, 3, 4))
        output = node.unit.step(lazy)
        mx.eval(mx.abs(output))
        assert pending(lazy) == ["Negative"]
        assert pending(*node.unit.state()).count("Negative") == count


def test_an_empty_message_is_answered_with_nothing(stream: Any) -> None:
    """It leaves what waits as it is."""
    node = stream("bin", {"size": 4}, [(3, 2)])
    node.unit.step(mx.ones((3, 2)))
    (before,) = node.unit.state()
    assert node.unit.step(mx.zeros((0, 2))).shape == (0, 2)
    assert node.unit.state()[0] is before


def test_a_slow_stream_is_averaged_right(stream: Any) -> None:
    """Bins of 50 samples fed with 7 at a time come out as those of the whole."""
    node = stream("bin", {"size": 50}, [(7, 2)])
    x = np.random.default_rng(0).normal(size=(350, 2))
    got = [np.asarray(node.unit.step(mx.array(part))) for part in np.split(x, 50)]
    np.testing.assert_allclose(np.concatenate(got), x.reshape(7, 50, 2).mean(axis=1), atol=1e-6)
