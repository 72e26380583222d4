"""Loops as a person writes them by hand, to show that the tool's own loop costs nothing beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

Step = Callable[[Any], Any]
ROUNDS = 20
"""Pairs of batches in one process, the first ones of each kind being warm-up."""


def bare_chain(steps: Sequence[Step], messages: Sequence[Any]) -> float:
    """Return the seconds until all values are there of three steps with one ASYNC at the end of each message."""
    import mlx.core as mx

    smooth, scale, rectify = steps
    began = perf_counter()
    for message in messages:
        y = rectify(scale(smooth(mx.array(message))))
        mx.async_eval(y)
    mx.eval(y)
    mx.synchronize()
    return perf_counter() - began


def bare_bursts(messages: Sequence[Any], burst: int) -> float:
    """Return the seconds the host spends on three ops and one ASYNC for each message, in bursts that are waited for."""
    import mlx.core as mx

    spent_s = 0.0
    for first in range(0, len(messages), burst):
        some = messages[first : first + burst]
        began = perf_counter()
        for message in some:
            y = mx.abs(mx.abs(mx.abs(mx.array(message))))
            mx.async_eval(y)
        spent_s += perf_counter() - began
        mx.eval(y)
        mx.synchronize()
    return spent_s


def paired_times(
    by_tool: Callable[[], float], by_hand: Callable[[], float], *, tool_first: bool
) -> list[tuple[float, float]]:
    """Return the seconds of both in each of `ROUNDS` rounds, which of them goes first alternating (ABBA)."""
    by_tool(), by_hand()
    pairs = []
    for number in range(ROUNDS):
        if (number % 2 == 0) == tool_first:
            tool, hand = by_tool(), by_hand()
        else:
            hand, tool = by_hand(), by_tool()
        pairs.append((tool, hand))
    return pairs
