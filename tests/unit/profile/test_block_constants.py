"""Prices of terms and what a formulation costs by them."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.blocks.formulation import BlockShape, Formulation, Kind, Part, Price, dense
from placement_cli.profile.block_constants import BlockConstants, BlockPrice
from placement_cli.profile.constant import Constant
from placement_cli.profile.defaults import RECORDED, shipped_profile
from placement_cli.profile.terms import Thresholds, block_terms


def test_the_price_is_amounts_times_prices(constants: BlockConstants) -> None:
    """With every price a nanosecond, the time is the number of amounts in nanoseconds."""
    amounts = block_terms(dense(64, 64), 30, constants.thresholds)

    assert BlockPrice.of(constants)(dense(64, 64), 30) == pytest.approx(1e-9 * sum(amounts.values()))


def test_undetermined_prices_are_named(constants: BlockConstants) -> None:
    """What the data did not determine is listed."""
    assert constants.undetermined == ("gather_mm_call",)


def test_every_term_has_a_price(constants: BlockConstants) -> None:
    """A missing or unknown term is refused by name."""
    fewer = {name: price for name, price in constants.prices.items() if name != "call"}
    with pytest.raises(ValueError, match="call"):
        replace(constants, prices=fewer)
    with pytest.raises(ValueError, match="spectral"):
        replace(constants, prices={**constants.prices, "spectral": constants.prices["call"]})


def test_prices_are_not_negative(constants: BlockConstants) -> None:
    """A negative price is refused by name."""
    negative = {**constants.prices, "gather": Constant(-1.0, None, None, "s", True, "")}
    with pytest.raises(ValueError, match="gather"):
        replace(constants, prices=negative)


def test_element_size_moves_the_caches(constants: BlockConstants) -> None:
    """Elements of twice the size exceed a cache at half the weights."""
    single, double = (BlockPrice.of(replace(constants, item_bytes=size)) for size in (4, 8))
    product = dense(1500, 1200)  # 6.9 or 13.7 MiB: streamed from memory only when elements are 8 bytes

    assert double(product, 1) > single(product, 1)


@given(
    st.sampled_from(RECORDED),
    st.sampled_from([Kind.DENSE, Kind.LOOP, Kind.BATCH]),
    st.integers(1, 500),
    st.integers(1, 500),
    st.integers(1, 8),
    st.integers(1, 4000),
)
@settings(deadline=None)
def test_a_larger_block_costs_more_within_a_cache(
    name: str, kind: Kind, rows: int, columns: int, count: int, samples: int
) -> None:
    """Prices of the shipped profiles are finite, not negative, and rise with either side of a block."""
    shipped = shipped_profile(name).price
    price = replace(shipped, thresholds=replace(shipped.thresholds, far_bytes=1e12))

    def cost(shape: BlockShape) -> float:
        return price(Formulation(4096, 4096, (Part(kind, shape, count),)), samples)

    at = cost(BlockShape(rows, columns))
    assert isfinite(at)
    assert at > 0
    assert cost(BlockShape(rows + 1, columns)) > at
    assert cost(BlockShape(rows, columns + 1)) > at


def test_it_is_what_the_planner_calls_a_price() -> None:
    """The planner's type for cost models accepts it, equal calls give equal prices."""
    price: Price = BlockPrice({"once": 1.0, "call": 2.0}, Thresholds())
    nothing = Formulation(4, 4, ())

    assert price(nothing, 3) == price(nothing, 3) == 1.0
