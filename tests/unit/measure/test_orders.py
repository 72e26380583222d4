"""The order of a block: every arm once a round, drift cancelled, slots balanced."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.measure.orders import ROUNDS, block_order

ARMS = st.lists(st.text(min_size=1, max_size=3), min_size=1, max_size=9, unique=True)
SEEDS = st.integers(0, 2**32)


@given(ARMS, SEEDS, st.integers(1, 13))
@settings(deadline=None)
def test_every_arm_once_a_round(arms: list[str], seed: int, rounds: int) -> None:
    """Each round holds every arm exactly once."""
    order = block_order(arms, Random(seed), rounds)
    assert len(order) == rounds
    assert all(sorted(names) == sorted(arms) for names in order)


@given(SEEDS)
@settings(deadline=None)
def test_two_arms_alternate_in_mirrored_pairs(seed: int) -> None:
    """Rounds come in pairs, the second the mirror image of the first: ABBA or BAAB."""
    order = block_order(["a", "b"], Random(seed))
    assert all(order[number + 1] == order[number][::-1] for number in range(0, ROUNDS, 2))


def test_which_of_two_arms_begins_is_random() -> None:
    """Both ABBA and BAAB occur, and they are mixed within blocks."""
    firsts = [tuple(names[0] for names in block_order(["a", "b"], Random(seed))[::2]) for seed in range(50)]
    assert {"a", "b"} <= {name for names in firsts for name in names}
    assert any(len(set(names)) == 2 for names in firsts)


@given(st.integers(3, 9), SEEDS, st.integers(1, 20))
@settings(deadline=None)
def test_slots_are_balanced(count: int, seed: int, rounds: int) -> None:
    """No arm stands in one slot two times more often than in another."""
    arms = [f"arm{number}" for number in range(count)]
    order = block_order(arms, Random(seed), rounds)
    for arm in arms:
        slots = Counter(names.index(arm) for names in order)
        assert max(slots.values()) - min(slots[slot] for slot in range(count)) <= 1


@pytest.mark.parametrize("count", [3, 6])
def test_slots_are_equal_where_the_rounds_allow(count: int) -> None:
    """Six rounds give three or six arms every slot equally often."""
    arms = [f"arm{number}" for number in range(count)]
    order = block_order(arms, Random(1))
    for arm in arms:
        assert Counter(names.index(arm) for names in order) == dict.fromkeys(range(count), ROUNDS // count)


@given(ARMS, SEEDS)
@settings(deadline=None)
def test_equal_seeds_give_equal_orders(arms: list[str], seed: int) -> None:
    """The order depends on the arms and the seed alone."""
    assert block_order(arms, Random(seed)) == block_order(arms, Random(seed))


def test_seeds_differ() -> None:
    """Other seeds give other orders."""
    orders = {str(block_order(["a", "b", "c"], Random(seed))) for seed in range(20)}
    assert len(orders) > 5
