import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.device.interface import queue_depth_messages


@pytest.mark.parametrize(("ops", "stalls_at"), [(1, (33, 36)), (2, (21, 22)), (3, (15, 15)), (5, (9, 10))])
def test_depth_of_the_cpu_is_where_it_was_measured_to_stall(ops: int, stalls_at: tuple[int, int]) -> None:
    """The CPU formula gives the message at which MLX 0.32.4 was measured to block."""
    low, high = stalls_at
    assert low <= queue_depth_messages("cpu", ops) <= high


@pytest.mark.parametrize("backend", ["metal", "cuda"])
def test_depth_of_a_gpu_is_that_of_its_queue(backend: str) -> None:
    """On a GPU the queue holds 64 messages, however many ops each has."""
    assert queue_depth_messages(backend, 1) == queue_depth_messages(backend, 30) == 64


@given(st.integers(0, 10_000))
@settings(deadline=None)
def test_one_message_always_fits_and_longer_ones_never_fit_more_often(ops: int) -> None:
    """The depth is at least 1 and does not grow with the length of a message."""
    assert 1 <= queue_depth_messages("cpu", ops + 1) <= queue_depth_messages("cpu", ops)


def test_a_negative_number_of_ops_is_refused() -> None:
    """A message of fewer than no ops is a mistake of the caller."""
    with pytest.raises(ValueError, match="-1 ops"):
        queue_depth_messages("cpu", -1)
