from __future__ import annotations

from math import inf, nan

import pytest

from placement_cli.blocks.formulation import BlockShape, Formulation, Kind, Part, blocks_of, dense
from placement_cli.blocks.pricing import PartPrice, checked, upstream_price


def test_the_upstream_price_is_its_documented_sum() -> None:
    """Weights times samples plus loading, a constant a call, and a constant an element gathered."""
    price = upstream_price()
    blocks = [(BlockShape(16, 16), 4)]
    loop = blocks_of(Kind.LOOP, blocks, 64, 64)
    gathered = Formulation(64, 64, loop.parts, gathered_in=64, gathered_out=64, gathers=2)
    assert price(dense(64, 64), 30) == 138 * 4096 + 1.6e6
    assert price(loop, 30) == 138 * 1024 + 4 * 1.6e6
    assert price(gathered, 30) == 138 * 1024 + 4 * 1.6e6 + 30 * 128 * 1600


def test_what_upstream_cannot_do_is_infinitely_dear() -> None:
    """Batches and compiled functions are not available under upstream's model."""
    price = upstream_price()
    assert price(blocks_of(Kind.BATCH, [(BlockShape(4, 4), 2)], 8, 8), 1) == inf
    assert price(Formulation(8, 8, dense(8, 8).parts, compiled=True), 1) == inf


def test_a_part_costs_what_it_adds() -> None:
    """Costs a formulation has once are no part of the price of a part, and each shape is asked for once."""
    asked: list[tuple[Part, ...]] = []

    def price(formulation: Formulation, n: int) -> float:
        asked.append(formulation.parts)
        return 100 + n * formulation.macs + 7 * formulation.calls

    part = PartPrice(price, 10, 64, 64)
    assert part(Kind.LOOP, 4, 4) == part(Kind.LOOP, 4, 4) == 10 * 16 + 7
    assert part(Kind.BATCH, 4, 4, 3) == 10 * 48 + 7
    assert len(asked) == 3


@pytest.mark.parametrize("bad", [nan, -1.0])
def test_prices_that_cannot_be_compared_are_refused(bad: float) -> None:
    """NaN and negative prices are a mistake of the cost model."""
    with pytest.raises(ValueError, match="price"):
        checked(bad)


def test_a_loop_can_always_be_computed() -> None:
    """A price that makes loops infinitely dear is a mistake of the cost model."""
    with pytest.raises(ValueError, match="loop"):
        PartPrice(lambda formulation, n: inf, 1, 4, 4)
