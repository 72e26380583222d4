"""How recurrences are cut into products."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placement_cli.operators.recurrence_plan import DIRECT_LIMIT, in_single_precision, plan_recurrence
from placement_cli.operators.work import Work, copy


@pytest.mark.parametrize(("states", "block"), [(1, 16), (2, 16), (4, 16), (8, 32), (16, 48)])
def test_blocks_grow_with_the_number_of_states(states: int, block: int) -> None:
    """The block length follows n sqrt(2 + K) in steps of 16."""
    assert plan_recurrence(states).block == block


@given(st.integers(1, 32))
def test_what_is_left_after_blocks_fits_one_product(states: int) -> None:
    """A block is never longer than the longest chunk that is done at once."""
    plan = plan_recurrence(states)
    assert plan.block <= plan.limit
    assert plan.limit >= DIRECT_LIMIT


def test_a_short_chunk_is_one_product() -> None:
    """Concatenation, product and split are all there is, two of them kernels."""
    work = plan_recurrence(4).work(64, 256, 4)
    assert (work.ops, work.kernels) == (3, 2)


def test_a_long_chunk_of_two_sections_takes_about_34_multiply_adds_a_sample() -> None:
    """Cutting 1024 samples into blocks needs a thirtieth of the arithmetic of one product."""
    work = plan_recurrence(4).work(1024, 256, 4)
    assert 30 < work.flops / 2 / (1024 * 256) < 38


@given(st.integers(1, 8), st.integers(1, 3000), st.integers(1, 8))
def test_work_grows_in_proportion_to_channels(sections: int, length: int, channels: int) -> None:
    """Twice the channels are twice the arithmetic in the same ops."""
    plan = plan_recurrence(2 * sections)
    one, two = plan.work(length, channels, 4), plan.work(length, 2 * channels, 4)
    assert (one.ops, one.kernels) == (two.ops, two.kernels)
    assert two.flops == pytest.approx(2 * one.flops)


def test_converting_costs_nothing_in_single_precision() -> None:
    """Messages of two-byte elements are converted once in and once out, others not at all."""
    assert in_single_precision((8, 2), 4) == Work()
    assert in_single_precision((8, 2), 2) == copy((8, 2), 2, 4) + copy((8, 2), 4, 2)
