"""Hard cases have the structure they name, and the planner here sees it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.planner import choose
from placement_cli.blocks.structure import Arrangement, Structure
from placement_cli.planning.hard_cases import HARD_CASES, HardCase
from placement_cli.profile.defaults import default_price

PRICE = default_price("numpy").price
FEWEST_TIMES_FASTER = 1.3
"""Of every case here some plan is predicted to be this much faster than dense, at every length."""

STRUCTURES = {
    "W1": (Arrangement.PERMUTED, {(32, 32): 64}),
    "W3": (Arrangement.PERMUTED, {(256, 256): 2}),
    "W3b": (Arrangement.CONTIGUOUS, {(64, 64): 2}),
    "W4": (Arrangement.PERMUTED, {(64, 64): 8}),
    "W6": (Arrangement.CONTIGUOUS, {(16, 16): 16}),
    "W6b": (Arrangement.CONTIGUOUS, {(8, 8): 32}),
    "W7": (Arrangement.CONTIGUOUS, {(16, 16): 64}),
    "W8": (Arrangement.CONTIGUOUS, {(64, 64): 15, (64, 63): 1}),
    "W8b": (Arrangement.BAND, {(1024, 1024): 1}),
    "W8c": (Arrangement.PERMUTED, {(64, 64): 16}),
    "W8d": (Arrangement.CONTIGUOUS, {(128, 128): 8}),
    "W8e": (Arrangement.DIAGONAL, {(1, 1): 512}),
    "W9": (Arrangement.REORDERED, {(64, 64): 8}),
    "W10": (Arrangement.CONTIGUOUS, {(8, 8): 12, (200, 200): 3}),
    "W12": (Arrangement.CONTIGUOUS, {(16, 16): 16}),
}
"""How the blocks of each case lie, and how many of each shape there are, what crosses them aside."""


@cache
def made(case: HardCase) -> tuple[Any, Structure]:
    """The weights of a case and their structure, both once."""
    weights = case.make()
    return weights, find_structure(weights, case.tolerance)


@pytest.fixture(autouse=True, scope="module")
def forgotten() -> Iterator[None]:
    """The weights, some of them 16 MiB, are gone when these tests are."""
    yield
    made.cache_clear()


def named(name: str) -> tuple[Any, Structure]:
    """The same for the case of this name."""
    return made(next(case for case in HARD_CASES if case.name == name))


def test_every_case_is_described_here() -> None:
    """By a name of its own, at lengths that are whole numbers of samples."""
    assert [case.name for case in HARD_CASES] == list(STRUCTURES)
    assert all(case.what and min(case.samples) >= 1 for case in HARD_CASES)


@pytest.mark.parametrize("case", HARD_CASES, ids=lambda case: case.name)
def test_a_case_has_the_structure_it_names(case: HardCase) -> None:
    """Found by the planner here, whatever hides it."""
    weights, structure = made(case)
    pattern = structure.crossing.rest if structure.crossing else structure.pattern
    assert weights.dtype == np.float32
    assert (structure.arrangement, dict(pattern.block_shapes)) == STRUCTURES[case.name]


def test_what_makes_a_case_hard_is_there() -> None:
    """A tidy bank in front, unused channels, a dense output, rounding, sums, and banks of unlike sizes in turn."""
    tidy, _ = named("W1")
    assert tidy[:32, :32].all()
    assert not tidy[:32, 32:].any()
    assert not tidy[32:, :32].any()
    assert (named("W3")[1].unused_inputs, named("W3b")[1].unused_outputs) == (1536, 1920)
    crossing = named("W8")[1].crossing
    assert crossing is not None
    assert (crossing.rows, crossing.columns) == ((), (5,))
    assert find_structure(named("W8c")[0]).arrangement is Arrangement.DENSE
    assert named("W8c")[1].dropped > 900_000
    assert all(named("W8d")[1].pattern.shared_sums)
    assert [len(row) for row in np.split(named("W10")[0], [200, 232, 432, 464, 664])] == [200, 32, 200, 32, 200, 32]


@pytest.mark.parametrize("case", HARD_CASES, ids=lambda case: case.name)
def test_the_plan_computes_the_product_faster_than_dense(case: HardCase) -> None:
    """By the costs that are shipped no case is dense at any of its lengths, and no plan loses a weight that counts."""
    weights, structure = made(case)
    kept = np.where(np.abs(weights) > structure.threshold, weights, np.float32(0))
    x = np.random.default_rng(3).standard_normal((3, len(weights)), dtype=np.float32)
    exact = x.astype(np.float64) @ kept
    for samples in case.samples:
        choices = choose(structure, samples, PRICE)
        dense = next(choice for choice in choices if choice.is_dense)
        assert dense.predicted_s > FEWEST_TIMES_FASTER * choices[0].predicted_s
        np.testing.assert_allclose(choices[0].plan.bind(kept)(x), exact, rtol=1e-4, atol=1e-4 * np.abs(exact).max())
