"""The loops written by hand do the same work, and the pairs alternate."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from placement_cli.graph.pipeline import Source
from placement_cli.measure.bare_loops import ROUNDS, bare_bursts, bare_chain, paired_times
from placement_cli.measure.messages import message_pool


@pytest.mark.parametrize("tool_first", [True, False])
def test_pairs_alternate(tool_first: bool) -> None:
    """After a warm-up of each, every round has both, and which of them goes first changes from round to round."""
    order: list[str] = []

    def timed(name: str) -> float:
        order.append(name)
        return 1.0 if name == "tool" else 2.0

    pairs = paired_times(lambda: timed("tool"), lambda: timed("hand"), tool_first=tool_first)
    assert pairs == [(1.0, 2.0)] * ROUNDS
    first = ["tool", "hand"] if tool_first else ["hand", "tool"]
    assert order[2:] == (first + first[::-1]) * (ROUNDS // 2)


def test_the_chain_feeds_every_message_through_all_steps() -> None:
    """Three steps see every message, and the last value is there at the end."""
    seen: list[str] = []

    def step(name: str, value: Any) -> Any:
        seen.append(name)
        return value

    messages = message_pool(Source(2, 2, 1), 0)[:2]
    assert bare_chain([partial(step, name) for name in "abc"], messages) > 0
    assert seen == ["a", "b", "c"] * 2


def test_bursts_take_any_number_of_messages() -> None:
    """The last burst may be shorter."""
    assert bare_bursts(message_pool(Source(2, 2, 1), 0)[:5], 2) > 0
