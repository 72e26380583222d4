"""Recurrences on MLX against the plain loop."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.operators.constant import constant, zeros
from placement_cli.operators.recurrence import LinearRecurrence
from placement_cli.operators.recurrence_plan import RecurrencePlan
from placement_cli.operators.state_space import Matrix, StateSpace

CLOSE = 2e-5


def _stable_system(seed: int, states: int, inputs: int, outputs: int) -> StateSpace:
    random = np.random.default_rng(seed)
    a = random.normal(size=(states, states))
    a *= 0.9 / np.max(np.abs(np.linalg.eigvals(a)))
    b, c = random.normal(size=(states, inputs)), random.normal(size=(outputs, states))
    scale = np.linalg.norm(a, 2) + 1.0
    return StateSpace(a, b / scale, c / scale, random.normal(size=(outputs, inputs)))


def _loop(system: StateSpace, state: Matrix, x: Matrix) -> tuple[Matrix, Matrix]:
    outputs = np.empty((len(x) // system.inputs, system.outputs, x.shape[-1]))
    for k, sample in enumerate(x.reshape(-1, system.inputs, x.shape[-1])):
        outputs[k] = system.c @ state + system.d @ sample
        state = system.a @ state + system.b @ sample
    return outputs.reshape(-1, x.shape[-1]), state


def _assert_follows_the_loop(
    system: StateSpace, recurrence: LinearRecurrence, lengths: list[int], channels: int
) -> None:
    random = np.random.default_rng(0)
    state, want_state = zeros((system.states, channels)), np.zeros((system.states, channels))
    for length in lengths:
        x = random.normal(size=(length * system.inputs, channels))
        y, state = recurrence.advance(state, constant(x), length)
        mx.eval(y, state)
        want, want_state = _loop(system, want_state, x)
        scale = np.max(np.abs(want_state)) + np.max(np.abs(want)) + 1.0
        np.testing.assert_allclose(np.asarray(y) / scale, want / scale, rtol=CLOSE, atol=CLOSE)
        np.testing.assert_allclose(np.asarray(state) / scale, want_state / scale, rtol=CLOSE, atol=CLOSE)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 99),
    st.integers(1, 4),
    st.integers(1, 2),
    st.integers(1, 2),
    st.lists(st.integers(1, 200), min_size=1, max_size=4),
    st.integers(1, 3),
)
def test_any_stream_of_chunks_follows_the_loop(
    seed: int, states: int, inputs: int, outputs: int, lengths: list[int], channels: int
) -> None:
    """Outputs and states are those of the loop for any lengths, channels and order, blocks of 8 in blocks of 3."""
    system = _stable_system(seed, states, inputs, outputs)
    plan = RecurrencePlan(states, inputs, outputs, block=8, limit=12)
    _assert_follows_the_loop(system, LinearRecurrence(system, max(lengths), plan), lengths, channels)


def test_a_long_stream_of_short_chunks_stays_exact() -> None:
    """Errors do not add up over 300 chunks of 30 to 64 samples."""
    system = _stable_system(3, 4, 1, 1)
    lengths = [int(length) for length in np.random.default_rng(1).integers(30, 65, 300)]
    _assert_follows_the_loop(system, LinearRecurrence(system, 64), lengths, 5)


def test_a_stream_of_long_chunks_stays_exact() -> None:
    """Chunks of 1024 samples, of odd lengths and of one sample follow each other without a seam."""
    system = _stable_system(4, 4, 1, 1)
    _assert_follows_the_loop(system, LinearRecurrence(system, 1024), [1024, 1024, 1, 1023, 65, 1024], 5)


def test_a_chunk_longer_than_announced_is_still_right() -> None:
    """Matrices that were not made beforehand are made on first use."""
    system = _stable_system(5, 2, 1, 1)
    _assert_follows_the_loop(system, LinearRecurrence(system, 4), [4, 9], 2)


def test_nothing_is_left_to_evaluate_in_a_new_recurrence(pending: Any) -> None:
    """The matrices of every length up to the longest are there when the recurrence is made."""
    system = _stable_system(6, 2, 1, 1)
    recurrence = LinearRecurrence(system, 64)
    x = constant(np.ones((64, 1)))
    y, state = recurrence.advance(zeros((2, 1)), x, 64)
    assert pending(y, state) == ["Concatenate", "Matmul", "Split"]
