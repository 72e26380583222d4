"""Rules that need no fit."""

from __future__ import annotations

import pytest

from placement_cli.blocks.formulation import BlockShape, Formulation, Kind, Part
from placement_cli.fit.observations import Configuration, Timing
from placement_cli.fit.rules import constant_rules
from placement_cli.profile.upstream import APPLE, APPLE_DISPATCHED


def timing(name: str, kind: Kind, size: int, count: int, seconds: float, gathers: int = 0) -> Timing:
    """One way of computing 64 channels."""
    parts = (Part(kind, BlockShape(size, size), count),)
    return Timing(name, Formulation(64, 64, parts, gathered_in=64 * gathers, gathers=gathers), seconds)


ENTRY = Configuration(
    30,
    (),
    (
        timing("dense", Kind.DENSE, 64, 1, 3.0),
        timing("perm", Kind.LOOP, 16, 4, 4.0, gathers=1),
        timing("loop", Kind.LOOP, 16, 4, 2.0),
        timing("batch", Kind.BATCH, 16, 4, 1.0),
    ),
)


def test_each_rule_chooses_as_it_says() -> None:
    """Dense costs 3 times the best, the finest loop twice, and upstream's call cost makes it stay dense."""
    assert constant_rules([ENTRY, ENTRY], APPLE) == pytest.approx(
        {"always-dense": 2.0, "finest-blocks": 1.0, "upstream-shipped": 2.0, "upstream-refitted": 2.0}
    )


def test_a_dispatched_fit_is_compared_with_the_dispatched_constant() -> None:
    """With cheap calls the refitted model takes the loop, the shipped one for dispatched backends does not."""
    from dataclasses import replace

    cheap = replace(APPLE_DISPATCHED, call_cost_macs=replace(APPLE.call_cost_macs, value=1.0))
    rules = constant_rules([ENTRY], cheap)

    assert rules["upstream-shipped"] == pytest.approx(2.0)
    assert rules["upstream-refitted"] == pytest.approx(1.0)


def test_rules_take_what_there_is() -> None:
    """Where nothing that upstream computes was measured, its rules choose among what was."""
    only = Configuration(30, (), (timing("batch", Kind.BATCH, 16, 4, 1.0),))

    assert set(constant_rules([only], APPLE).values()) == {0.0}
