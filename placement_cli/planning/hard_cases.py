"""Products on which a planner with ezmsg-sigproc's model lost time, and how each loses it.

Measured there on two x86 cores with NumPy: the plan took up to 26 times the time of the best way of computing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class HardCase:
    """One product: what makes it hard, its weights (inputs x outputs), and the lengths of chunk it is timed at.

    `tolerance` is the share of the largest weight that counts as zero.
    """

    name: str
    what: str
    make: Callable[[], NDArray[Any]]
    samples: tuple[int, ...]
    tolerance: float = 0.0


def _banks(sizes: list[int], seed: int = 0) -> NDArray[np.float32]:
    generator = np.random.default_rng(seed)
    matrix = np.zeros((sum(sizes), sum(sizes)), np.float32)
    at = 0
    for size in sizes:
        matrix[at : at + size, at : at + size] = generator.standard_normal((size, size), dtype=np.float32)
        at += size
    return matrix


def _shuffled(matrix: NDArray[np.float32], seed: int = 1) -> NDArray[np.float32]:
    generator = np.random.default_rng(seed)
    return matrix[generator.permutation(len(matrix))][:, generator.permutation(len(matrix))]


def _tidy_bank_first() -> NDArray[np.float32]:
    matrix = _banks([32] * 64)
    matrix[32:, 32:] = _shuffled(matrix[32:, 32:])
    return matrix


def _two_used_groups() -> NDArray[np.float32]:
    matrix = np.zeros((2048, 2048), np.float32)
    order = np.random.default_rng(0).permutation(2048)
    for group in (np.sort(order[:256]), np.sort(order[256:512])):
        matrix[np.ix_(group, group)] = np.random.default_rng(1).standard_normal((256, 256), dtype=np.float32)
    return matrix


def _two_corners() -> NDArray[np.float32]:
    matrix = np.zeros((2048, 2048), np.float32)
    matrix[:64, :64], matrix[-64:, -64:] = _banks([64]), _banks([64], 1)
    return matrix


def _one_dense_output() -> NDArray[np.float32]:
    matrix = _banks([64] * 16)
    matrix[:, 5] = 1
    return matrix


def _five_diagonals() -> NDArray[np.float32]:
    matrix = np.zeros((1024, 1024), np.float32)
    for offset in range(-2, 3):
        matrix += np.diag(np.full(1024 - abs(offset), 1.0 + offset, np.float32), offset)
    return matrix


def _pseudo_inverse() -> NDArray[np.float32]:
    return np.linalg.pinv(_shuffled(_banks([64] * 16)).astype(np.float64)).astype(np.float32)


def _common_reference() -> NDArray[np.float32]:
    bank = np.eye(128, dtype=np.float32) - np.float32(1 / 128)
    return np.kron(np.eye(8, dtype=np.float32), bank)


def _swapped_banks() -> NDArray[np.float32]:
    matrix = _banks([64] * 8)
    return np.ascontiguousarray(np.roll(matrix, 256, axis=1))


def _unequal_banks() -> NDArray[np.float32]:
    return _banks([200, 8, 8, 8, 8, 200, 8, 8, 8, 8, 200, 8, 8, 8, 8])


HARD_CASES: tuple[HardCase, ...] = (
    HardCase("W1", "one tidy bank, 63 shuffled", _tidy_bank_first, (30, 100)),
    HardCase("W3", "two scattered groups used", _two_used_groups, (30, 300)),
    HardCase("W3b", "two small corners", _two_corners, (30, 300)),
    HardCase("W4", "8 shuffled banks of 64", lambda: _shuffled(_banks([64] * 8)), (30, 300)),
    HardCase("W6", "16 banks of 16, few samples", lambda: _banks([16] * 16), (1, 4)),
    HardCase("W6b", "32 banks of 8, few samples", lambda: _banks([8] * 32), (1, 4)),
    HardCase("W7", "64 banks of 16", lambda: _banks([16] * 64), (30, 300)),
    HardCase("W8", "16 banks and one dense output", _one_dense_output, (30,)),
    HardCase("W8b", "five diagonals", _five_diagonals, (30, 300)),
    HardCase("W8c", "pseudo-inverse of shuffled banks", _pseudo_inverse, (30,), 1e-4),
    HardCase("W8d", "a common reference a bank", _common_reference, (30, 300)),
    HardCase("W8e", "a diagonal", lambda: np.diag(np.arange(1, 513, dtype=np.float32)), (30, 300)),
    HardCase("W9", "banks swapped", _swapped_banks, (30, 300)),
    HardCase("W10", "large and tiny banks in turn", _unequal_banks, (30, 300)),
    HardCase("W12", "16 banks of 16, by length", lambda: _banks([16] * 16), (1, 30, 3000)),
)
"""Names are those of the weaknesses in the notes on ezmsg-sigproc 3.11.1's planner."""
