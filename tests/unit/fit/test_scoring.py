"""Errors, regret and order."""

from __future__ import annotations

from dataclasses import replace
from math import log

import pytest

from placement_cli.blocks.formulation import Formulation, Price, dense
from placement_cli.fit.observations import Configuration, Timing
from placement_cli.fit.scoring import Score, half_regrets, score

NAMES = {8: "slow", 9: "middle", 10: "fast"}
SLOW, MIDDLE, FAST = (Timing(NAMES[n], dense(n, n), t) for n, t in ((8, 4.0), (9, 2.05), (10, 2.0)))
GATHER = Timing("gather", Formulation(8, 8, (), gathered_in=8, gathers=1), 1.0)
ENTRY = Configuration(4, (), (SLOW, MIDDLE, FAST, GATHER))


def by_size(**prices: float) -> Price:
    """A price that knows the made-up formulations by their size."""
    return lambda formulation, samples: prices[NAMES[formulation.n_in] if formulation.parts else "gather"]


def test_a_right_choice_has_no_regret() -> None:
    """Exact predictions choose the fastest, order every clear pair, and err by nothing."""
    found = score(ENTRY, by_size(slow=4.0, middle=2.05, fast=2.0, gather=1.0))

    assert found == Score(errors=(0.0, 0.0, 0.0, 0.0), regret=0.0, pairs=2, ordered=2)


def test_regret_is_relative_to_the_best_measured() -> None:
    """Choosing what takes twice as long is a regret of 1; the bare gather cannot be chosen."""
    found = score(ENTRY, by_size(slow=0.5, middle=2.05, fast=2.0, gather=0.1))

    assert found.regret == pytest.approx(1.0)
    assert found.ordered == 0
    assert found.errors[0] == pytest.approx(log(0.5 / 4))


def test_equal_prices_choose_the_first() -> None:
    """A tie is broken by the order of the timings."""
    found = score(ENTRY, by_size(slow=1.0, middle=1.0, fast=1.0, gather=1.0))

    assert found.regret == pytest.approx(1.0)


def test_halves_give_the_noise_floor() -> None:
    """Choosing by one half and scoring on the other costs what the halves disagree by."""
    one = replace(MIDDLE, halves=(1.0, 2.2))
    two = replace(FAST, halves=(1.1, 2.0))

    assert half_regrets([Configuration(4, (), (one, two))]) == pytest.approx([0.1, 0.1])


def test_without_halves_there_is_no_noise_floor() -> None:
    """Configurations whose repeats were not all kept take no part."""
    kept = replace(FAST, halves=(1.0, 1.0))

    assert half_regrets([ENTRY, Configuration(4, (), (SLOW, kept))]) == []
