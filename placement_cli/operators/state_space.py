"""Discrete linear systems as matrices over whole chunks, in double precision.

With states s (n), inputs x (m) and outputs y (p) a system is

    s[k+1] = A s[k] + B x[k]        y[k] = C s[k] + D x[k]

Unrolling N samples gives y = O s + F x and s' = A^N s + G x with constant matrices: O stacks C A^k, F is
the lower triangular Toeplitz matrix of the impulse response (D, C B, C A B, ...), G is [A^(N-1) B, ..., A
B, B]. This is the usual lifting of a linear system to blocks of samples (textbooks on multirate systems).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class StateSpace:
    """A system by its matrices A (n, n), B (n, m), C (p, n) and D (p, m)."""

    a: Matrix
    b: Matrix
    c: Matrix
    d: Matrix

    @property
    def states(self) -> int:
        """Number of states n."""
        return int(self.a.shape[0])

    @property
    def inputs(self) -> int:
        """Number of inputs m."""
        return int(self.b.shape[1])

    @property
    def outputs(self) -> int:
        """Number of outputs p."""
        return int(self.c.shape[0])

    def powers(self, length: int) -> list[Matrix]:
        """Return A^0 to A^length."""
        powers = [np.eye(self.states)]
        for _ in range(length):
            powers.append(self.a @ powers[-1])
        return powers

    def output_matrix(self, length: int) -> Matrix:
        """Return [O F], shape (length p, n + length m): state and inputs of a chunk to its outputs."""
        powers = self.powers(length)
        observed = np.concatenate([self.c @ power for power in powers[:length]])
        response = np.concatenate([self.d, *(self.c @ power @ self.b for power in powers[: length - 1])])
        forced = np.zeros((length * self.outputs, length * self.inputs))
        for k in range(length):
            rows, columns = k * self.outputs, k * self.inputs
            forced[rows:, columns : columns + self.inputs] = response[: len(response) - rows]
        return np.concatenate([observed, forced], axis=1)

    def state_matrix(self, length: int) -> Matrix:
        """Return [A^length G], shape (n, n + length m): state and inputs of a chunk to the state after it."""
        powers = self.powers(length)
        return np.concatenate([powers[length], *(power @ self.b for power in reversed(powers[:length]))], axis=1)

    def chunk_matrix(self, length: int) -> Matrix:
        """Return both of the above on top of each other, outputs first: (length p + n, n + length m)."""
        return np.concatenate([self.output_matrix(length), self.state_matrix(length)])

    def between_blocks(self, length: int) -> StateSpace:
        """Return the system that steps from block to block of `length` samples.

        Its inputs are the G x of each block (n), its outputs the state at the start of each block (n).
        """
        n = self.states
        return StateSpace(self.powers(length)[length], np.eye(n), np.eye(n), np.zeros((n, n)))


def section_cascade(sections: Matrix) -> StateSpace:
    """Return second-order sections (rows b0 b1 b2 1 a1 a2) in series, in transposed direct form II.

    State 2k and 2k+1 are the two delays of section k, the layout of `zi` in `scipy.signal.sosfilt`.
    """
    n = 2 * len(sections)
    a, b = np.zeros((n, n)), np.zeros((n, 1))
    signal, through = np.zeros((1, n)), np.ones((1, 1))
    for first, (b0, b1, b2, _, a1, a2) in zip(range(0, n, 2), sections, strict=True):
        output = b0 * signal
        output[0, first] += 1.0
        a[first : first + 2] = np.outer((b1, b2), signal) - np.outer((a1, a2), output)
        a[first, first + 1] += 1.0
        b[first : first + 2, 0] = np.array([b1, b2]) * through[0, 0] - np.array([a1, a2]) * b0 * through[0, 0]
        signal, through = output, b0 * through
    return StateSpace(a, b, signal, through)


def moving_average(alpha: float) -> StateSpace:
    """Return the weighted average m[k] = (1 - alpha) m[k-1] + alpha x[k]; its state is m[k-1]."""
    keep, take = np.array([[1.0 - alpha]]), np.array([[alpha]])
    return StateSpace(keep, take, keep, take)
