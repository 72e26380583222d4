"""How a linear recurrence over a chunk is cut into matrix products, and what that costs.

A chunk of N samples as one product costs about N multiply-adds a sample and channel, and three ops. Cut into
blocks of L samples it costs n for what each block adds to the state, L + n for its outputs, and n^2 (2 + K) / L
for the recurrence from block to block, which is cut into blocks of K itself; some twenty ops. For n = 4, L = 16
and K = 8 that is 34.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from placement_cli.operators.work import Work, copy, matmul, total, views

if TYPE_CHECKING:
    from placement_cli.operators.operator import Shape

STATE_ITEM_BYTES = 4
"""Recurrences run in single precision whatever the messages hold: rounding errors add up over messages."""
DIRECT_LIMIT = 64
"""Chunks up to this many samples are one product: there an op costs more than the arithmetic."""
BLOCK_STEP = 16
"""Blocks of samples are a multiple of this long."""
COARSE_BLOCK = 8
"""Block length of the recurrence from block to block."""
COARSE_LIMIT = 16
"""That recurrence is one product up to this many steps."""


@dataclass(frozen=True, slots=True)
class RecurrencePlan:
    """How a system with so many `states`, `inputs` and `outputs` runs over a chunk.

    Up to `limit` samples at once; beyond that in blocks of `block` (never more than `limit`), then what is
    left.
    """

    states: int
    inputs: int
    outputs: int
    block: int
    limit: int

    def coarse(self) -> RecurrencePlan:
        """Return the plan of the recurrence from block to block."""
        return RecurrencePlan(self.states, self.states, self.states, COARSE_BLOCK, COARSE_LIMIT)

    def work(self, length: int, channels: int, item: int) -> Work:
        """Return the cost of a chunk of `length` samples over `channels` columns, `item` bytes an element."""
        if length <= self.limit:
            return self._at_once(length, channels, item)
        blocks, rest = divmod(length, self.block)
        work = self._in_blocks(blocks, channels, item)
        if not rest:
            return work
        joined = copy((length * self.outputs, channels), item)
        return total(views(1), work, self._at_once(rest, channels, item), joined)

    def _at_once(self, length: int, channels: int, item: int) -> Work:
        inner = self.states + length * self.inputs
        product = matmul(length * self.outputs + self.states, inner, channels, item)
        return copy((inner, channels), item) + product + views(1)

    def _in_blocks(self, blocks: int, channels: int, item: int) -> Work:
        width, height = self.block * self.inputs, self.block * self.outputs
        inner = self.states + width
        return total(
            views(2),  # cut into blocks, stretch G over them
            matmul(self.states, width, channels, item, batch=blocks),
            views(2),  # to one column of inputs and back
            self.coarse().work(blocks, channels, item),
            copy((blocks, inner, channels), item),
            views(1),
            matmul(height, inner, channels, item, batch=blocks),
            views(1),
        )


def plan_recurrence(states: int, inputs: int = 1, outputs: int = 1) -> RecurrencePlan:
    """Return the plan with the fewest multiply-adds (see above): blocks of about L = n sqrt(2 + K)."""
    steps = max(1, round(states * sqrt(2 + COARSE_BLOCK) / BLOCK_STEP))
    block = BLOCK_STEP * steps
    return RecurrencePlan(states, inputs, outputs, block, max(DIRECT_LIMIT, block))


def in_single_precision(shape: Shape, item: int) -> Work:
    """Return the cost of converting a message to single precision and a result of the same shape back."""
    if item == STATE_ITEM_BYTES:
        return Work()
    return copy(shape, item, STATE_ITEM_BYTES) + copy(shape, STATE_ITEM_BYTES, item)
