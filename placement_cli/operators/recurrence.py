"""Linear recurrences on MLX, exact over chunks of any length, without a step per sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mlx.core as mx

from placement_cli.operators.constant import constant
from placement_cli.operators.recurrence_plan import RecurrencePlan, plan_recurrence

if TYPE_CHECKING:
    from placement_cli.operators.state_space import StateSpace


class ChunkMatrices(dict[int, mx.array]):
    """The chunk matrix of a system for each chunk length, made on first use and kept."""

    def __init__(self, system: StateSpace, longest: int) -> None:
        super().__init__()
        self.system = system
        for length in range(1, longest + 1):
            self[length]

    def __missing__(self, length: int) -> mx.array:
        matrix = self[length] = constant(self.system.chunk_matrix(length))
        return matrix


class LinearRecurrence:
    """A `StateSpace` run over chunks, independently for each channel, in single precision.

    All matrices for chunks of up to `longest` samples are made here, so that no later call pays for them.
    """

    def __init__(self, system: StateSpace, longest: int, plan: RecurrencePlan | None = None) -> None:
        self.plan = plan or plan_recurrence(system.states, system.inputs, system.outputs)
        self._at_once = ChunkMatrices(system, min(longest, self.plan.limit))
        self._coarse: LinearRecurrence | None = None
        if longest > self.plan.limit:
            block = self.plan.block
            self._block_outputs = constant(system.output_matrix(block))
            self._block_inputs = constant(system.state_matrix(block)[:, system.states :])
            between = system.between_blocks(block)
            self._coarse = LinearRecurrence(between, longest // block, self.plan.coarse())

    def advance(self, state: mx.array, x: mx.array, length: int) -> tuple[mx.array, mx.array]:
        """Return the outputs of a chunk and the state after it, both lazy.

        `state` is (n, channels); `x` holds `length` >= 1 samples as (length m, channels), the inputs of one
        sample on successive rows; the outputs are (length p, channels) likewise.
        """
        if length <= self.plan.limit or self._coarse is None:
            return self._advance_at_once(state, x, length)
        blocks, rest = divmod(length, self.plan.block)
        if not rest:
            return self._advance_blocks(self._coarse, state, x, blocks)
        x, remainder = mx.split(x, [blocks * self.plan.block * self.plan.inputs])
        y, state = self._advance_blocks(self._coarse, state, x, blocks)
        last, state = self._advance_at_once(state, remainder, rest)
        return mx.concatenate([y, last]), state

    def _advance_at_once(self, state: mx.array, x: mx.array, length: int) -> tuple[mx.array, mx.array]:
        product = mx.matmul(self._at_once[length], mx.concatenate([state, x]))
        y, state = mx.split(product, [length * self.plan.outputs])
        return y, state

    def _advance_blocks(
        self, coarse: LinearRecurrence, state: mx.array, x: mx.array, blocks: int
    ) -> tuple[mx.array, mx.array]:
        x = mx.unflatten(x, 0, (blocks, -1))
        added = mx.matmul(self._block_inputs, x)
        starts, state = coarse.advance(state, mx.flatten(added, 0, 1), blocks)
        starts = mx.unflatten(starts, 0, (blocks, -1))
        y = mx.matmul(self._block_outputs, mx.concatenate([starts, x], axis=1))
        return mx.flatten(y, 0, 1), state
