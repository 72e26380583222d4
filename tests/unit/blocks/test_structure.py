from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from placement_cli.blocks.finding import find_structure


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda b, s: b([(2, 3)] * 4), "4 blocks (4 of 2 x 3), contiguous along the diagonal."),
        (lambda b, s: np.roll(b([(2, 3)] * 4), 3, axis=1), "contiguous but in another order: slices suffice."),
        (lambda b, s: s(b([(4, 4)] * 4)), "4 blocks (4 of 4 x 4), contiguous only after reordering channels."),
        (lambda b, s: np.eye(6), "A diagonal of 6 weights."),
        (lambda b, s: s(np.eye(20)), "A diagonal of 20 weights after reordering channels."),
        (lambda b, s: np.zeros((2, 2)), "no output depends on an input"),
        (lambda b, s: np.ones((2, 2)), "One block, no structure."),
        (lambda b, s: np.eye(20) + 1, "One block: a diagonal plus a constant."),
        (lambda b, s: np.kron(np.eye(2), np.eye(9) + 1), "2 blocks (2 of 9 x 9, each a diagonal plus a constant)"),
        (lambda b, s: np.eye(40) + np.eye(40, k=1), "A band: every output reads neighbouring inputs, over 4.9%"),
        (lambda b, s: b([(1, 2), (2, 1), (3, 3), (4, 4), (1, 3)]), "and 2 other shapes)"),
    ],
)
def test_a_structure_says_what_it_is(make: Any, says: str, banks: Any, shuffled: Any) -> None:
    """Each arrangement has its own sentence."""
    assert says in find_structure(make(banks, shuffled)).describe()


def test_a_structure_opens_with_its_size() -> None:
    """The first sentence tells shape and share of nonzeros; an empty matrix has no share."""
    assert find_structure(np.eye(4)).describe().startswith("4 inputs x 4 outputs, 4 of 16 weights nonzero (25.00%).")
    assert find_structure(np.zeros((0, 3))).describe().startswith("0 inputs x 3 outputs, 0 of 0 weights nonzero.")


def test_a_structure_can_be_pickled(banks: Any, shuffled: Any) -> None:
    """What comes back describes itself alike."""
    structure = find_structure(shuffled(banks([(3, 4), (2, 2)])))
    assert pickle.loads(pickle.dumps(structure)).describe() == structure.describe()
