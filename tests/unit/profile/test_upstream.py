"""The cost model of ezmsg-sigproc's planner."""

from __future__ import annotations

from placement_cli.blocks import pricing
from placement_cli.blocks.formulation import BlockShape, Formulation, Kind, blocks_of, dense
from placement_cli.profile.upstream import APPLE, APPLE_DISPATCHED, UPSTREAM_UNITS


def test_the_shipped_values_are_those_of_the_planner() -> None:
    """Both rooms that know upstream's constants have the same."""
    assert APPLE.assignments() == {
        "WEIGHT_LOAD_SAMPLES": pricing.WEIGHT_LOAD_SAMPLES,
        "CALL_COST_MACS": pricing.CALL_COST_MACS,
        "GATHER_COST_MACS": pricing.GATHER_COST_MACS,
    }
    assert APPLE_DISPATCHED.assignments()["CALL_COST_MACS_DISPATCHED"] == pricing.CALL_COST_MACS_DISPATCHED


def test_the_cost_is_the_documented_formula() -> None:
    """Weights at n plus load samples, calls, and gathered elements, in multiply-accumulates."""
    loop = blocks_of(Kind.LOOP, [(BlockShape(64, 64), 16)], 1024, 1024)
    moved = Formulation(1024, 1024, loop.parts, 1024, 1024, 2)

    assert APPLE(dense(1024, 1024), 30) == 138 * 1024 * 1024 + 1.6e6
    assert APPLE(moved, 30) == 138 * 16 * 64 * 64 + 16 * 1.6e6 + 30 * 2048 * 1600
    assert APPLE_DISPATCHED(loop, 30) - APPLE(loop, 30) == 16 * (8e6 - 1.6e6)


def test_it_agrees_with_the_planners_own_copy() -> None:
    """For what upstream can compute, both copies of the formula give the same number."""
    for formulation in (dense(512, 512), blocks_of(Kind.LOOP, [(BlockShape(64, 64), 8)], 512, 512)):
        assert APPLE(formulation, 300) == pricing.upstream_price()(formulation, 300)


def test_every_constant_has_a_unit() -> None:
    """The names in documents are the fields."""
    assert all(getattr(APPLE, name).unit == unit for name, unit in UPSTREAM_UNITS.items())
