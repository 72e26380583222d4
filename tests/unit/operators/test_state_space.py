"""Chunk matrices of linear systems."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import butter, sosfilt

from placement_cli.operators.state_space import Matrix, StateSpace, moving_average, section_cascade


def _random_system(seed: int, states: int, inputs: int, outputs: int) -> StateSpace:
    random = np.random.default_rng(seed)
    a = random.normal(size=(states, states)) * 0.5 / states
    b = random.normal(size=(states, inputs))
    return StateSpace(a, b, random.normal(size=(outputs, states)), random.normal(size=(outputs, inputs)))


def _sample_by_sample(system: StateSpace, state: Matrix, x: Matrix) -> tuple[Matrix, Matrix]:
    outputs = []
    for sample in x.reshape(-1, system.inputs, x.shape[-1]):
        outputs.append(system.c @ state + system.d @ sample)
        state = system.a @ state + system.b @ sample
    return np.concatenate(outputs), state


sizes = st.integers(1, 4)


@settings(deadline=None)
@given(st.integers(0, 99), sizes, sizes, sizes, st.integers(1, 12))
def test_a_chunk_matrix_does_what_the_samples_one_by_one_do(
    seed: int, states: int, inputs: int, outputs: int, length: int
) -> None:
    """One product with the chunk matrix gives the outputs and the last state of the plain loop."""
    system = _random_system(seed, states, inputs, outputs)
    random = np.random.default_rng(seed + 1)
    state, x = random.normal(size=(states, 2)), random.normal(size=(length * inputs, 2))
    product = system.chunk_matrix(length) @ np.concatenate([state, x])
    y, last = _sample_by_sample(system, state, x)
    np.testing.assert_allclose(product, np.concatenate([y, last]), rtol=1e-9, atol=1e-12)


@settings(deadline=None)
@given(st.integers(0, 99), sizes, st.integers(1, 6), st.integers(1, 6))
def test_the_system_between_blocks_gives_the_state_at_the_start_of_each(
    seed: int, states: int, block: int, blocks: int
) -> None:
    """Fed with what each block adds, the coarse system puts out the states between blocks."""
    system = _random_system(seed, states, 1, 1)
    random = np.random.default_rng(seed + 1)
    state, x = random.normal(size=(states, 2)), random.normal(size=(blocks, block, 2))
    added = system.state_matrix(block)[:, states:] @ x
    starts, last = _sample_by_sample(system.between_blocks(block), state, added.reshape(-1, 2))
    for index in range(blocks):
        np.testing.assert_allclose(starts[index * states : (index + 1) * states], state, rtol=1e-9, atol=1e-12)
        _, state = _sample_by_sample(system, state, x[index])
    np.testing.assert_allclose(last, state, rtol=1e-9, atol=1e-12)


def test_a_section_cascade_has_the_outputs_and_the_delays_of_scipy() -> None:
    """The state is laid out like `zi` of scipy.signal.sosfilt and takes the same values."""
    sections = butter(3, (0.1, 0.4), btype="bandpass", output="sos")
    random = np.random.default_rng(0)
    x, zi = random.normal(size=(20, 2)), random.normal(size=(3, 2, 2))
    y, last = _sample_by_sample(section_cascade(sections), zi.reshape(6, 2), x)
    want, want_zi = sosfilt(sections, x, axis=0, zi=zi)
    np.testing.assert_allclose(y, want, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(last, want_zi.reshape(6, 2), rtol=1e-9, atol=1e-12)


def test_a_moving_average_includes_the_newest_sample() -> None:
    """The output after one sample is that sample's share plus what is kept of the average before."""
    y, last = _sample_by_sample(moving_average(0.25), np.array([[8.0]]), np.array([[4.0]]))
    assert y.item() == last.item() == 7.0
