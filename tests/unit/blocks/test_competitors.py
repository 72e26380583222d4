"""Plans that are timed against one another."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.blocks.competitors import MOST_BLOCKS, competing_plans
from placement_cli.blocks.drawing import Drawn, Layout
from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.formulation import Formulation, Kind
from placement_cli.blocks.planner import choose

DRAWN = st.builds(
    Drawn,
    st.sampled_from(Layout),
    st.integers(16, 64),
    st.integers(2, 8),
    st.integers(1, 200),
    st.integers(0, 1000),
)


def kinds_of(plans: Any) -> set[Kind]:
    """Return the kinds of all parts."""
    return {part.kind for plan in plans for part in plan.formulation.parts}


@given(drawn=DRAWN)
@settings(deadline=None, max_examples=40)
def test_competitors_are_different_ways_of_the_same_product(drawn: Drawn, numpy_price: Any) -> None:
    """The planner's own choice comes first, the dense product is there, none twice, and all compute the same."""
    weights = drawn.weights()
    structure = find_structure(weights)
    plans = competing_plans(structure, drawn.samples, numpy_price)
    assert plans[0] == choose(structure, drawn.samples, numpy_price)[0].plan
    assert any(plan.formulation.kind is Kind.DENSE for plan in plans)
    assert len(set(plans)) == len(plans)
    x = np.random.default_rng(drawn.seed).standard_normal((3, structure.n_in)).astype(np.float32)
    for plan in plans:
        np.testing.assert_allclose(plan.bind(weights, "numpy")(x), x @ weights, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("backend", ["numpy", "mlx"])
def test_equal_input_gives_equal_plans(backend: Any, mlx_price: Any, numpy_price: Any) -> None:
    """Found again from other weights of the same structure, the plans are the same in the same order."""
    price = numpy_price if backend == "numpy" else mlx_price
    once, again = (
        competing_plans(find_structure(weights), 30, price, backend=backend)
        for weights in (Drawn(Layout.MIXED, 64, 8, 1, 5).weights(), 2 * Drawn(Layout.MIXED, 64, 8, 1, 5).weights())
    )
    assert once == again


def test_a_planner_that_errs_either_way_is_represented(banks: Any, numpy_price: Any) -> None:
    """Merges that only cheap calls and only dear calls would give are there beside the planner's own."""
    structure = find_structure(banks([(16, 16)] * 16))
    own = {choice.plan for choice in choose(structure, 30, numpy_price)}
    calls = {plan.formulation.calls for plan in competing_plans(structure, 30, numpy_price) if plan not in own}
    best = choose(structure, 30, numpy_price)[0].formulation.calls
    assert max(calls) > best
    assert 16 in {plan.n_blocks for plan in competing_plans(structure, 30, numpy_price)}


def test_on_mlx_two_are_compiled_and_masked_products_wait_to_be_asked_for(banks: Any, mlx_price: Any) -> None:
    """The compiled ones are those of the best two; all compute the same."""
    weights = banks([(32, 32)] * 8)
    structure = find_structure(weights)
    plans = competing_plans(structure, 30, mlx_price, backend="mlx")
    compiled = [plan for plan in plans if plan.compiled]
    assert [plan.sections for plan in compiled] == [plan.sections for plan in plans[:2]]
    assert Kind.MASKED_MM not in kinds_of(plans)
    with_masked = competing_plans(structure, 30, mlx_price, backend="mlx", masked=True)
    assert Kind.MASKED_MM in kinds_of(with_masked)
    x, on_mlx = mx.random.uniform(shape=(3, 256)), mx.array(weights)
    for plan in with_masked:
        assert mx.allclose(plan.bind(on_mlx)(x), x @ on_mlx, rtol=1e-4).item()


def test_what_takes_only_calls_is_not_timed() -> None:
    """A loop over very many blocks is left out, even where a price likes it."""

    def price(formulation: Formulation, samples: int) -> float:
        return float(formulation.macs)

    structure = find_structure(np.eye(MOST_BLOCKS + 1, dtype=np.float32))
    assert all(plan.formulation.calls <= MOST_BLOCKS for plan in competing_plans(structure, 1, price))
