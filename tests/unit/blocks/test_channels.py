from __future__ import annotations

import pickle

import numpy as np
import pytest

from placement_cli.blocks.channels import Channels


def test_equal_lists_are_equal_and_hash_alike() -> None:
    """Channel lists are compared by value, in order."""
    assert Channels([2, 0, 1]) == Channels(np.array([2, 0, 1]))
    assert hash(Channels([2, 0, 1])) == hash(Channels([2, 0, 1]))
    assert Channels([2, 0, 1]) != Channels([0, 1, 2])
    assert Channels([1]) != [1]


def test_numbers_cannot_be_changed() -> None:
    """The array is read-only and a copy of what was given."""
    given = np.array([3, 1])
    kept = Channels(given)
    given[0] = 9
    assert kept.array.tolist() == [3, 1]
    with pytest.raises(ValueError, match="read-only"):
        kept.array[0] = 0


def test_it_survives_pickling() -> None:
    """A pickled list comes back equal and still read-only."""
    back = pickle.loads(pickle.dumps(Channels([4, 2])))
    assert back == Channels([4, 2])
    assert not back.array.flags.writeable
    assert repr(back) == "Channels([4, 2])"
    assert len(back) == 2
