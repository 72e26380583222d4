"""The queue's rule: how many messages may be outstanding before submitting blocks."""

from __future__ import annotations

from math import inf

import pytest

from placement_cli.timeline.costs import QueueRule


def test_calls_and_ops_share_one_queue() -> None:
    """Eleven dispatches a message fill a queue of 110 with ten messages, however calls and ops make them up."""
    rule = QueueRule(calls=110.0, ops=55.0)

    assert rule.messages(calls=1, ops=5, parts=0) == pytest.approx(10.0)


def test_parts_of_long_submissions_count_by_themselves() -> None:
    """Of submissions that go out in parts one more than the allowed number fits."""
    assert QueueRule(buffer_tasks=10.0).messages(calls=1, ops=100, parts=2) == pytest.approx(5.5)


def test_without_limits_nothing_ever_blocks() -> None:
    """A queue without limits holds any number of messages."""
    assert QueueRule().messages(calls=1, ops=5, parts=0) == inf
