"""Which error a person sees when a block and the work left behind it both fail."""

from __future__ import annotations

import pytest

from placement_cli.materialize.leaving import finish_after


def fail() -> None:
    """Stand for an evaluation that fails."""
    raise RuntimeError("no device")


def test_an_error_after_a_block_that_went_well_is_raised() -> None:
    """Nothing is lost when there is no other error to tell of."""
    with pytest.raises(RuntimeError, match="no device"):
        finish_after(None, fail)


def test_an_error_after_a_failed_block_becomes_a_note_on_it() -> None:
    """The first cause stays the error that is seen, and tells of the second."""
    failure = KeyError("gain")
    finish_after(failure, fail)
    assert failure.__notes__ == ["Evaluating what was still pending failed too: RuntimeError: no device"]


@pytest.mark.parametrize("failure", [None, KeyError("gain")])
def test_the_work_is_finished_either_way(failure: BaseException | None) -> None:
    """What is pending is evaluated whether or not the block failed, and a good end leaves no note."""
    done: list[bool] = []
    finish_after(failure, lambda: done.append(True))
    assert done == [True]
    assert not hasattr(failure, "__notes__")
